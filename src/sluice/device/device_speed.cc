#include "sluice/device/device_speed.h"

#include <algorithm>

#include "sluice/device/sim/sim_device.h"

namespace sluice {

double DeviceSpeed::KernelSeconds(double flops, double bytes) const {
  return std::max(
      {kernel_seconds, flops / flops_per_second, bytes / bytes_per_second});
}

double DeviceSpeed::CopySeconds(double values, double bytes) const {
  return values * link_latency_seconds + bytes / link_bytes_per_second;
}

DeviceSpeed SpeedOf(const Device& device) {
  DeviceSpeed speed;
  if (device.kind() != DeviceKind::kSim) return speed;
  const SimOptions& o = static_cast<const SimDevice&>(device).options();
  speed.flops_per_second = o.flops_per_second;
  speed.bytes_per_second = o.bytes_per_second;
  speed.kernel_seconds = o.kernel_seconds;
  speed.link_bytes_per_second = o.link_bytes_per_second;
  speed.link_latency_seconds = o.link_latency_seconds;
  return speed;
}

}  // namespace sluice
