// cuDNN, opened at run time: its functions, and a handle for each device, bound
// to its compute stream.
//
// Opened once, never closed. Thread safe; calls with one handle come one at a
// time.
#pragma once

#include <cudnn.h>

#include <functional>

#include "sluice/base/status.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/device/cuda/cuda_device.h"

namespace sluice {

#define SL_CUDNN_FUNCTIONS(X)                      \
  X(cudnnCreate)                                   \
  X(cudnnGetVersion)                               \
  X(cudnnSetStream)                                \
  X(cudnnGetErrorString)                           \
  X(cudnnCreateTensorDescriptor)                   \
  X(cudnnSetTensorNdDescriptor)                    \
  X(cudnnDestroyTensorDescriptor)                  \
  X(cudnnCreateFilterDescriptor)                   \
  X(cudnnSetFilterNdDescriptor)                    \
  X(cudnnDestroyFilterDescriptor)                  \
  X(cudnnCreateConvolutionDescriptor)              \
  X(cudnnSetConvolutionNdDescriptor)               \
  X(cudnnSetConvolutionGroupCount)                 \
  X(cudnnSetConvolutionMathType)                   \
  X(cudnnDestroyConvolutionDescriptor)             \
  X(cudnnGetConvolutionForwardAlgorithm_v7)        \
  X(cudnnConvolutionForward)                       \
  X(cudnnGetConvolutionBackwardDataAlgorithm_v7)   \
  X(cudnnConvolutionBackwardData)                  \
  X(cudnnGetConvolutionBackwardFilterAlgorithm_v7) \
  X(cudnnConvolutionBackwardFilter)

struct Cudnn {
#define SL_FIELD(name) decltype(&::name) name = nullptr;
  SL_CUDNN_FUNCTIONS(SL_FIELD)
#undef SL_FIELD
  // Error: the library does not exist.
  static Result<const Cudnn*> Open();
};

struct CudnnHandle {
  Mutex mu;
  cudnnHandle_t handle SL_GUARDED_BY(mu) = nullptr;
  static Result<CudnnHandle*> For(CudaDevice& device);
};

Status CudnnStatus(const Cudnn& cudnn, cudnnStatus_t status,
                   std::string_view doing);

}  // namespace sluice
