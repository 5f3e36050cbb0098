// SimMemory: the memory of a simulated device: addresses that the host cannot
// access, and the bytes behind them, which it accesses while it does the
// device's work.
//
// Lives as long as its device. Thread safe.
#pragma once

#include <memory>
#include <string>

#include "sluice/base/thread_annotations.h"
#include "sluice/device/device_allocator.h"
#include "sluice/device/sim/sim_options.h"
#include "sluice/tensor/memory.h"

namespace sluice {

class SimWorld;

class SimMemory final : public Memory, private AllocationWatcher {
 public:
  // Error: no room for the addresses.
  static Result<std::unique_ptr<SimMemory>> Make(SimWorld& world,
                                                 const std::string& device_name,
                                                 const SimOptions& options);
  ~SimMemory() override;

  DeviceKind kind() const override { return DeviceKind::kSim; }
  const std::string& device_name() const override { return device_name_; }
  bool on_host() const override { return false; }
  Allocator& allocator() override { return *allocator_; }
  DeviceAllocator& device_allocator() { return *allocator_; }
  const SimOptions& options() const { return options_; }

  // The host address of the bytes: for copies, which are device work.
  void* Bytes(void* address) const;

  void SetFaults(const SimFaults& faults) SL_EXCLUDES(mu_);
  SimFaults faults() const SL_EXCLUDES(mu_);
  // Whether this is the copy that must fail.
  bool CopyFails() SL_EXCLUDES(mu_);

 private:
  friend class SimDevice;
  SimMemory(SimWorld& world, const std::string& device_name,
            const SimOptions& options)
      : world_(world), device_name_(device_name), options_(options) {}
  // Creates the allocator, once its stream exists.
  void Begin(Stream& compute);

  void* HostAddress(void* address) const override { return Bytes(address); }
  bool Refuse(int64_t bytes) override SL_EXCLUDES(mu_);
  bool Allocated(Stream& home, void* address, int64_t bytes) override;
  void Freed(void* address, int64_t bytes) override;

  SimWorld& world_;
  const std::string device_name_;
  const SimOptions options_;
  // Two mappings of equal size; only the addresses of the first are used.
  char* addresses_ = nullptr;
  char* bytes_ = nullptr;
  int64_t size_ = 0;
  std::unique_ptr<DeviceAllocator> allocator_;
  mutable Mutex mu_;
  SimFaults faults_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice
