// CudaMemory: the memory of a GPU. Addresses for all of it are reserved at
// once; memory is mapped when they are first used, and stays mapped.
//
// Lives as long as its device. Thread safe.
#pragma once

#include <memory>
#include <string>

#include "sluice/device/cuda/driver.h"
#include "sluice/device/device_allocator.h"
#include "sluice/tensor/memory.h"

namespace sluice {

class CudaMemory final : public Memory, private AllocationWatcher {
 public:
  CudaMemory(CUdevice device, const std::string& device_name)
      : device_(device), device_name_(device_name) {}
  // Reserves addresses for the memory that is free on the GPU now, except for a
  // part left to libraries. Error: that of the driver.
  Status Begin(Stream& compute);

  DeviceKind kind() const override { return DeviceKind::kCuda; }
  const std::string& device_name() const override { return device_name_; }
  bool on_host() const override { return false; }
  Allocator& allocator() override { return *allocator_; }
  DeviceAllocator& device_allocator() { return *allocator_; }

 private:
  // Called under the allocator's lock.
  bool Provide(void* address, int64_t bytes) override;
  bool Allocated(Stream&, void*, int64_t) override { return false; }
  void Freed(void*, int64_t) override {}

  const CUdevice device_;
  const std::string device_name_;
  CUdeviceptr begin_ = 0;
  int64_t bytes_ = 0;
  int64_t mapped_ = 0;
  std::unique_ptr<DeviceAllocator> allocator_;
};

}  // namespace sluice
