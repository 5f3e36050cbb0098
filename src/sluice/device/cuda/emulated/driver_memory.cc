#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "sluice/device/cuda/emulated/driver_parts.h"
#include "sluice/device/cuda/emulated/memory.h"

namespace sluice::emulated {

namespace {

CUresult MemGetInfo(size_t* free, size_t* total) {
  *total = GpuMemory::kBytes;
  *free = *total - GpuMemory::Get().used();
  return CUDA_SUCCESS;
}
CUresult MemAddressReserve(CUdeviceptr* at, size_t bytes, size_t alignment,
                           CUdeviceptr, unsigned long long) {
  *at =
      reinterpret_cast<CUdeviceptr>(GpuMemory::Get().Reserve(bytes, alignment));
  return *at ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult MemCreate(CUmemGenericAllocationHandle* handle, size_t bytes,
                   const CUmemAllocationProp*, unsigned long long) {
  *handle = bytes;
  return GpuMemory::Get().Create(bytes) ? CUDA_SUCCESS
                                        : CUDA_ERROR_OUT_OF_MEMORY;
}
// Nothing lies behind the addresses before their access is set.
CUresult MemMap(CUdeviceptr, size_t bytes, size_t,
                CUmemGenericAllocationHandle handle, unsigned long long) {
  return bytes <= handle ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult MemSetAccess(CUdeviceptr at, size_t bytes, const CUmemAccessDesc*,
                      size_t) {
  return GpuMemory::Get().Open(At<void>(at), bytes) ? CUDA_SUCCESS
                                                    : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult MemRelease(CUmemGenericAllocationHandle) { return CUDA_SUCCESS; }
CUresult MemHostAlloc(void** at, size_t bytes, unsigned) {
  *at = GpuMemory::Get().AllocatePinned(bytes);
  return *at ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult MemHostGetDevicePointer(CUdeviceptr* address, void* host, unsigned) {
  *address = reinterpret_cast<CUdeviceptr>(host);
  return CUDA_SUCCESS;
}

// Of no bytes there need not be an address.
void Copy(void* to, const void* from, size_t bytes) {
  if (bytes > 0) std::memmove(to, from, bytes);
}

// Of memory that is not pinned, the driver keeps a copy: the caller may change
// it as soon as the call returns. What is recorded reads it when it runs.
CUresult MemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes,
                         CUstream stream) {
  if (GpuMemory::Get().Pinned(from) || QueueOf(stream).recording()) {
    return AddWork(stream, [=] { Copy(At<void>(to), from, bytes); });
  }
  const char* begin = static_cast<const char*>(from);
  auto kept = std::make_shared<std::vector<char>>(begin, begin + bytes);
  return AddWork(stream, [=] { Copy(At<void>(to), kept->data(), bytes); });
}
CUresult MemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes,
                         CUstream stream) {
  CUresult result = AddWork(stream, [=] { Copy(to, At<void>(from), bytes); });
  if (!GpuMemory::Get().Pinned(to) && !QueueOf(stream).recording()) {
    QueueOf(stream).Drain();
  }
  return result;
}
CUresult MemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                     CUstream stream) {
  return AddWork(stream, [=] { Copy(At<void>(to), At<void>(from), bytes); });
}
CUresult MemsetD8Async(CUdeviceptr to, unsigned char value, size_t count,
                       CUstream stream) {
  return AddWork(stream, [=] { std::memset(At<void>(to), value, count); });
}
CUresult MemsetD32Async(CUdeviceptr to, unsigned value, size_t count,
                        CUstream stream) {
  return AddWork(stream, [=] { std::fill_n(At<unsigned>(to), count, value); });
}

}  // namespace

void FillMemory(CudaDriver& driver) {
  driver.cuMemGetInfo = MemGetInfo;
  driver.cuMemAddressReserve = MemAddressReserve;
  driver.cuMemCreate = MemCreate;
  driver.cuMemMap = MemMap;
  driver.cuMemSetAccess = MemSetAccess;
  driver.cuMemRelease = MemRelease;
  driver.cuMemHostAlloc = MemHostAlloc;
  driver.cuMemHostGetDevicePointer = MemHostGetDevicePointer;
  driver.cuMemcpyHtoDAsync = MemcpyHtoDAsync;
  driver.cuMemcpyDtoHAsync = MemcpyDtoHAsync;
  driver.cuMemcpyDtoDAsync = MemcpyAsync;
  driver.cuMemcpyAsync = MemcpyAsync;
  driver.cuMemsetD8Async = MemsetD8Async;
  driver.cuMemsetD32Async = MemsetD32Async;
}

}  // namespace sluice::emulated
