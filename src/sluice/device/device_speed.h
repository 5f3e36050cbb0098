// DeviceSpeed: what predictions need to know of a device: how fast it computes,
// and how fast values come and go. A value.
#pragma once

#include "sluice/device/device.h"

namespace sluice {

struct DeviceSpeed {
  double flops_per_second = 0;
  double bytes_per_second = 0;       // of its own memory
  double kernel_seconds = 0;         // the least that a kernel takes
  double link_bytes_per_second = 0;  // to the host, and back
  double link_latency_seconds = 0;

  double KernelSeconds(double flops, double bytes) const;
  // Of so many values with so many bytes together, one way.
  double CopySeconds(double values, double bytes) const;
};

// Of a device that runs behind the host; of others nothing is told, and all is
// 0: they have no memory of their own that values would leave.
DeviceSpeed SpeedOf(const Device& device);

}  // namespace sluice
