#include "sluice/device/sim/sim_device.h"

#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/device/devices.h"

namespace sluice {

namespace {
// By StreamUse.
constexpr const char* kStreamNames[kNumStreamUses] = {"compute", "to host",
                                                      "from host", "peer"};
}  // namespace

Result<std::unique_ptr<SimDevice>> SimDevice::Make(SimWorld& world, int index,
                                                   const SimOptions& options) {
  SL_RETURN_IF_ERROR(options.Check());
  std::unique_ptr<SimDevice> device(
      new SimDevice(world, DeviceName::Local(DeviceKind::kSim, index)));
  SL_ASSIGN_OR_RETURN(device->memory_,
                      SimMemory::Make(world, device->name_text(), options));
  for (size_t i = 0; i < kNumStreamUses; ++i) {
    device->streams_[i] = std::make_unique<SimStream>(*device, kStreamNames[i]);
  }
  device->memory_->Begin(device->stream());
  return device;
}

double SimDevice::KernelSeconds(double flops, int64_t bytes) const {
  const SimOptions& o = options();
  return std::max({o.kernel_seconds, flops / o.flops_per_second,
                   static_cast<double>(bytes) / o.bytes_per_second});
}

Result<Device*> AddSimDevices(int n, const SimOptions& options) {
  if (n < 1 || n > kMaxSimDevices) {
    return InvalidArgument(
        StrCat("got ", n, " simulated devices; wanted 1 to ", kMaxSimDevices));
  }
  static Mutex mu;  // guards no member: two threads must not add one device
  MutexLock lock(mu);
  for (int i = 0; i < n; ++i) {
    if (Devices::Find(DeviceName::Local(DeviceKind::kSim, i))) continue;
    SL_ASSIGN_OR_RETURN(std::unique_ptr<SimDevice> device,
                        SimDevice::Make(SimWorld::Default(), i, options));
    Devices::Add(std::move(device));
  }
  return Devices::Find(DeviceName::Local(DeviceKind::kSim, 0));
}

}  // namespace sluice
