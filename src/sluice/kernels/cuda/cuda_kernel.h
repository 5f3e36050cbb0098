// GPU kernels from source: compiled on first launch, cached on disk
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

// The device of a launch. REQUIRES: it is a GPU.
inline CudaDevice& GpuOf(const KernelContext& ctx) {
  return static_cast<CudaDevice&>(*ctx.device());
}
inline CUstream StreamOf(const KernelContext& ctx) {
  return static_cast<CudaStream*>(ctx.stream())->handle();
}

// "float", "bf16": the names in sources.
std::string_view CudaTypeName(DType dtype);

// The function `name` of a source, compiled if necessary. Errors: no compiler;
// compile errors of the source.
Result<CUfunction> CudaFunction(CudaDevice& device, const std::string& source,
                                const std::string& name);
// The same for one of our files (kernels/cuda/source), with lines inserted
// before it:
//   FileFunction(device, "reduce.cuh", "using T = float;", "rows")
Result<CUfunction> FileFunction(CudaDevice& device, std::string_view file,
                                std::string_view before,
                                const std::string& name);

// All functions loaded so far, for tests of how they compile.
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
// Enough blocks for n threads, but no more than keep the GPU busy: kernels use
// grid-stride loops.
CudaGrid GridFor(CudaDevice& device, int64_t n, int64_t threads = 256);

Status LaunchCudaRaw(const KernelContext& ctx, CUfunction function,
                     const CudaGrid& grid, void* args);
template <class Args>
Status LaunchCuda(const KernelContext& ctx, CUfunction function,
                  const CudaGrid& grid, Args args) {
  return LaunchCudaRaw(ctx, function, grid, &args);
}

// For device kernels: the address of an array's first element.
template <class T = void>
T* AddressOf(const Array& array) {
  return static_cast<T*>(array.address());
}

// For errors that a kernel may find in its inputs while it runs, after the
// launch has returned. `finding` turns the two numbers that the kernel wrote
// into an error; Ok means that there is nothing to report. Returns the slot for
// the kernel to write to (source/checks.cuh); call CheckIssued after the
// launch.
using MakeFinding =
    std::function<Status(const OpRecord& op, int64_t a, int64_t b)>;
CUdeviceptr TakeCheck(const KernelContext& ctx, MakeFinding finding);
void CheckIssued(const KernelContext& ctx);

// Scratch space whose size only the launch knows, in stream order; or for the
// lifetime of the recording that contains the launch.
Result<Array> ScratchFor(const KernelContext& ctx, int64_t bytes);

// The status of a kernel that does not support this call (a type, a layout):
// the host computes it instead.
Status NotServed();

}  // namespace sluice
