// Kernels of a GPU, by their source: compiled when first launched, kept on disk
// (cubin_cache.h) and loaded once for each device.
//
//   SL_ASSIGN_OR_RETURN(CUfunction sum, CudaFunction(ctx, source, "sum"));
//   return LaunchCuda(ctx, sum, {blocks, 256}, args);
//
// A kernel takes one struct. Thread safe.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sluice/device/cuda/cuda_device.h"
#include "sluice/op/kernel_context.h"
#include "sluice/tensor/array.h"

namespace sluice {

// The device a launch is for. REQUIRES: it is a GPU.
inline CudaDevice& GpuOf(const KernelContext& ctx) {
  return static_cast<CudaDevice&>(*ctx.device());
}
inline CUstream StreamOf(const KernelContext& ctx) {
  return static_cast<CudaStream*>(ctx.stream())->handle();
}

// "float", "bf16": as sources have it.
std::string_view CudaTypeName(DType dtype);

// The function `name` of a source. Compiles it, if need be. Errors: there is no
// compiler; what it says of the source.
Result<CUfunction> CudaFunction(CudaDevice& device, const std::string& source,
                                const std::string& name);
// Of one of our files (kernels/cuda/source), with lines put before it:
//   FileFunction(device, "reduce.cuh", "using T = float;", "rows")
Result<CUfunction> FileFunction(CudaDevice& device, std::string_view file,
                                std::string_view before,
                                const std::string& name);

// All that have been loaded by now, for tests of how they compile.
struct LoadedKernels {
  std::string source;
  CUmodule module;
};
std::vector<LoadedKernels> AllLoadedKernels();

struct CudaGrid {
  int64_t blocks = 1;
  int64_t threads = 256;
  int64_t shared_bytes = 0;
  int64_t blocks_y = 1;
};
// Enough blocks for n threads, but not more than keep the GPU busy: kernels
// step by the whole grid.
CudaGrid GridFor(CudaDevice& device, int64_t n, int64_t threads = 256);

Status LaunchCudaRaw(const KernelContext& ctx, CUfunction function,
                     const CudaGrid& grid, void* args);
template <class Args>
Status LaunchCuda(const KernelContext& ctx, CUfunction function,
                  const CudaGrid& grid, Args args) {
  return LaunchCudaRaw(ctx, function, grid, &args);
}

// For kernels of a device: the address of an array's first element.
template <class T = void>
T* AddressOf(const Array& array) {
  return static_cast<T*>(array.address());
}

// Something a kernel may find wrong in its inputs while it runs, after the
// launch has returned. `finding` makes the error of the two numbers the kernel
// left. Returns the slot for the kernel to write to (source/checks.cuh); call
// CheckIssued after the launch.
// Ok: nothing is to be told.
using MakeFinding =
    std::function<Status(const OpRecord& op, int64_t a, int64_t b)>;
CUdeviceptr TakeCheck(const KernelContext& ctx, MakeFinding finding);
void CheckIssued(const KernelContext& ctx);

// Scratch space whose size only the launch knows, in the stream's order; or for
// as long as the recording lives that the launch becomes a part of.
Result<Array> ScratchFor(const KernelContext& ctx, int64_t bytes);

// A kernel that does not serve this call (a type, a layout): the host computes
// it instead.
Status NotServed();

}  // namespace sluice
