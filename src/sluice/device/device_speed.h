// DeviceSpeed: the speed of a device for predictions: computation, memory and
// copies. A plain value.
#pragma once

#include "sluice/device/device.h"

namespace sluice {

struct DeviceSpeed {
  double flops_per_second = 0;
  double bytes_per_second = 0;       // of its own memory
  double kernel_seconds = 0;         // the minimum time of a kernel
  double link_bytes_per_second = 0;  // to the host and back
  double link_latency_seconds = 0;

  double KernelSeconds(double flops, double bytes) const;
  // The time to copy this many values with this many bytes in total, one way.
  double CopySeconds(double values, double bytes) const;
};

// The speed of a device that runs behind the host. For other devices all
// figures are 0: they have no separate memory to copy from.
DeviceSpeed SpeedOf(const Device& device);

}  // namespace sluice
