// The functions of the CUDA driver, opened at run time. The same binary runs
// without a driver or GPU and reports that when a GPU is requested.
//
// Opened once, never closed. Thread safe.
#pragma once

#include <cuda.h>

#include "sluice/base/status.h"

namespace sluice {

// By the name that the header gives to the newest version of each function.
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

  // Errors: no driver, or it is too old, with what was looked for.
  static Result<const CudaDriver*> Open();
  // REQUIRES: Open has succeeded.
  static const CudaDriver& Get();
};

// OK, or the driver's error after a description such as "copying 12 bytes".
Status CudaStatus(CUresult result, std::string_view doing);

}  // namespace sluice

#define SL_CUDA(call, doing)                                   \
  do {                                                         \
    if (CUresult sl_result = ::sluice::CudaDriver::Get().call; \
        sl_result != CUDA_SUCCESS) [[unlikely]] {              \
      return ::sluice::CudaStatus(sl_result, doing);           \
    }                                                          \
  } while (false)
