// SimDevice: an accelerator simulated by host code. It verifies without
// hardware that no wait is missing, that memory is returned and not reused
// early, that work overlaps as intended, and that faults are handled.
//
// Thread safe. Lives as long as the process, or as the world of a test.
#pragma once

#include <array>
#include <memory>

#include "sluice/device/device.h"
#include "sluice/device/sim/sim_memory.h"
#include "sluice/device/sim/sim_options.h"
#include "sluice/device/sim/sim_stream.h"
#include "sluice/device/sim/sim_world.h"

namespace sluice {

class SimDevice final : public Device {
 public:
  // Errors: impossible figures; no room for its addresses.
  static Result<std::unique_ptr<SimDevice>> Make(SimWorld& world, int index,
                                                 const SimOptions& options);

  Memory& memory() override { return *memory_; }
  SimStream& stream(StreamUse use = StreamUse::kCompute) override {
    return *streams_[static_cast<size_t>(use)];
  }
  Allocator& allocator_for(StreamUse use) override {
    return allocator().For(stream(use));
  }
  bool synchronous() const override { return false; }
  bool Progress() override { return world_.RunOne(); }

  SimWorld& world() const { return world_; }
  SimMemory& sim_memory() const { return *memory_; }
  DeviceAllocator& allocator() const { return memory_->device_allocator(); }
  const SimOptions& options() const { return memory_->options(); }
  // The time of a kernel with this much arithmetic and traffic.
  double KernelSeconds(double flops, int64_t bytes) const;

  // Applies from now on; {} for none.
  void SetFaults(const SimFaults& faults) { memory_->SetFaults(faults); }
  SimFaults faults() const { return memory_->faults(); }

 private:
  SimDevice(SimWorld& world, DeviceName name)
      : Device(std::move(name)), world_(world) {}

  SimWorld& world_;
  std::unique_ptr<SimMemory> memory_;
  std::array<std::unique_ptr<SimStream>, kNumStreamUses> streams_;
};

// Injects faults during its lifetime. Lives on the stack.
class [[nodiscard]] SimFaultScope {
 public:
  SimFaultScope(SimDevice& device, const SimFaults& faults) : device_(device) {
    device.SetFaults(faults);
  }
  ~SimFaultScope() { device_.SetFaults({}); }
  SimFaultScope(const SimFaultScope&) = delete;
  SimFaultScope& operator=(const SimFaultScope&) = delete;

 private:
  SimDevice& device_;
};

inline constexpr int kMaxSimDevices = 256;
// Makes sure that Devices has sim:0 ... sim:n-1, in the default world, and
// returns the first. `options` apply to newly created devices. Errors: an
// invalid number; impossible figures; no room for addresses.
Result<Device*> AddSimDevices(int n, const SimOptions& options = {});

}  // namespace sluice
