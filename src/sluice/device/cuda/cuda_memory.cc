#include "sluice/device/cuda/cuda_memory.h"

#include <algorithm>

namespace sluice {

namespace {
// A multiple of what any GPU maps at a time.
constexpr int64_t kChunk = int64_t{32} << 20;
// Left for libraries, modules and other programs.
constexpr int64_t kReserve = int64_t{1} << 30;

CUmemAllocationProp OnDevice(CUdevice device) {
  CUmemAllocationProp wanted = {};
  wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  wanted.location.id = device;
  return wanted;
}
}  // namespace

Status CudaMemory::Begin(Stream& compute) {
  size_t free = 0, total = 0;
  SL_CUDA(cuMemGetInfo(&free, &total), "asking for the GPU's free memory");
  auto limit = static_cast<int64_t>(free);
  limit -= std::min(limit / 8, kReserve);
  // More addresses than memory, so that a program below the limit finds a place
  // although what is free is in pieces.
  bytes_ = (limit / kChunk + 1) * kChunk * 2;
  SL_CUDA(cuMemAddressReserve(&begin_, static_cast<size_t>(bytes_),
                              static_cast<size_t>(kChunk), 0, 0),
          "reserving addresses on the GPU");
  AllocationWatcher* watcher = this;
  allocator_ = std::make_unique<DeviceAllocator>(
      *this, compute,
      DeviceAllocator::Range{reinterpret_cast<char*>(begin_), bytes_,
                             /*mark_from=*/int64_t{1} << 20},
      limit, watcher);
  return OkStatus();
}

bool CudaMemory::Provide(void* address, int64_t bytes) {
  const CudaDriver& driver = CudaDriver::Get();
  auto end =
      static_cast<int64_t>(reinterpret_cast<CUdeviceptr>(address) - begin_) +
      bytes;
  if (end <= mapped_) [[likely]]
    return true;
  int64_t more = (end - mapped_ + kChunk - 1) / kChunk * kChunk;
  CUmemAllocationProp wanted = OnDevice(device_);
  CUmemGenericAllocationHandle memory = 0;
  auto size = static_cast<size_t>(more);
  if (driver.cuMemCreate(&memory, size, &wanted, 0) != CUDA_SUCCESS) {
    return false;
  }
  CUdeviceptr at = begin_ + static_cast<CUdeviceptr>(mapped_);
  CUmemAccessDesc access = {};
  access.location = wanted.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  bool mapped = driver.cuMemMap(at, size, 0, memory, 0) == CUDA_SUCCESS &&
                driver.cuMemSetAccess(at, size, &access, 1) == CUDA_SUCCESS;
  driver.cuMemRelease(memory);  // the mapping keeps it
  if (mapped) mapped_ += more;
  return mapped;
}

}  // namespace sluice
