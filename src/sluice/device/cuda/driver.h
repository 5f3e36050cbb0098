// The CUDA driver's functions, opened at run time: the same binary runs where
// there is no driver and no GPU, and says so when one is asked for.
//
// Opened once, never closed. Thread safe.
#pragma once

#include <cuda.h>

#include "sluice/base/status.h"

namespace sluice {

// By the name the header gives the function's newest version.
#define SL_CUDA_DRIVER_FUNCTIONS(X)    \
  X(cuInit)                            \
  X(cuDriverGetVersion)                \
  X(cuGetErrorName)                    \
  X(cuGetErrorString)                  \
  X(cuDeviceGetCount)                  \
  X(cuDeviceGet)                       \
  X(cuDeviceGetName)                   \
  X(cuDeviceGetAttribute)              \
  X(cuDevicePrimaryCtxRetain)          \
  X(cuCtxSetCurrent)                   \
  X(cuMemGetInfo)                      \
  X(cuMemAddressReserve)               \
  X(cuMemCreate)                       \
  X(cuMemMap)                          \
  X(cuMemSetAccess)                    \
  X(cuMemRelease)                      \
  X(cuMemHostAlloc)                    \
  X(cuMemHostGetDevicePointer)         \
  X(cuMemcpyHtoDAsync)                 \
  X(cuMemcpyDtoHAsync)                 \
  X(cuMemcpyDtoDAsync)                 \
  X(cuMemcpyAsync)                     \
  X(cuMemsetD8Async)                   \
  X(cuMemsetD32Async)                  \
  X(cuStreamCreate)                    \
  X(cuStreamSynchronize)               \
  X(cuStreamQuery)                     \
  X(cuStreamWaitEvent)                 \
  X(cuLaunchHostFunc)                  \
  X(cuEventCreate)                     \
  X(cuEventRecord)                     \
  X(cuEventDestroy)                    \
  X(cuEventQuery)                      \
  X(cuEventSynchronize)                \
  X(cuEventElapsedTime)                \
  X(cuModuleLoadData)                  \
  X(cuModuleGetFunction)               \
  X(cuFuncSetAttribute)                \
  X(cuLaunchKernel)                    \
  X(cuLaunchKernelEx)                  \
  X(cuStreamBeginCapture)              \
  X(cuStreamEndCapture)                \
  X(cuGraphInstantiate)                \
  X(cuGraphLaunch)                     \
  X(cuGraphDestroy)                    \
  X(cuGraphExecDestroy)                \
  X(cuStreamGetCaptureInfo)            \
  X(cuStreamUpdateCaptureDependencies) \
  X(cuStreamBeginCaptureToGraph)       \
  X(cuGraphConditionalHandleCreate)    \
  X(cuGraphAddNode)

struct CudaDriver {
#define SL_FIELD(name) decltype(&::name) name = nullptr;
  SL_CUDA_DRIVER_FUNCTIONS(SL_FIELD)
#undef SL_FIELD

  // Errors: there is no driver, or it is too old; what was looked for.
  static Result<const CudaDriver*> Open();
  // REQUIRES: Open has been successful.
  static const CudaDriver& Get();
};

// OK, or what the driver says, after what was being done: "copying 12 bytes".
Status CudaStatus(CUresult result, std::string_view doing);

}  // namespace sluice

#define SL_CUDA(call, doing)                                   \
  do {                                                         \
    if (CUresult sl_result = ::sluice::CudaDriver::Get().call; \
        sl_result != CUDA_SUCCESS) [[unlikely]] {              \
      return ::sluice::CudaStatus(sl_result, doing);           \
    }                                                          \
  } while (false)
