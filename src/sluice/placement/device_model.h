// DeviceModel, LinkModel: what the cost model of placement knows of a device,
// and of the way from one to another. Plain values.
#pragma once

#include <cstdint>

#include "sluice/device/device_name.h"

namespace sluice {

// Static facts about a device.
struct DeviceModel {
  DeviceName name;  // full
  double flops_per_second = 1e10;
  double bytes_per_second = 1e10;
  double launch_seconds = 1e-6;
  int64_t memory_bytes = INT64_MAX;
};

struct LinkModel {
  double bytes_per_second = 1e10;
  double latency_seconds = 1e-6;
};

}  // namespace sluice
