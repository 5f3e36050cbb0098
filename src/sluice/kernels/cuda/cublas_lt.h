// cuBLASLt, opened at run time: its functions, and a handle for each device.
//
// Opened once, never closed. Thread safe.
#pragma once

#include <cublasLt.h>

#include "sluice/base/status.h"
#include "sluice/device/cuda/cuda_device.h"
#include "sluice/tensor/array.h"

namespace sluice {

#define SL_CUBLAS_LT_FUNCTIONS(X)         \
  X(cublasLtCreate)                       \
  X(cublasLtMatmul)                       \
  X(cublasLtMatmulDescCreate)             \
  X(cublasLtMatmulDescSetAttribute)       \
  X(cublasLtMatmulDescDestroy)            \
  X(cublasLtMatrixLayoutCreate)           \
  X(cublasLtMatrixLayoutSetAttribute)     \
  X(cublasLtMatrixLayoutDestroy)          \
  X(cublasLtMatmulPreferenceCreate)       \
  X(cublasLtMatmulPreferenceSetAttribute) \
  X(cublasLtMatmulPreferenceDestroy)      \
  X(cublasLtMatmulAlgoGetHeuristic)       \
  X(cublasLtGetStatusString)

struct CublasLt {
#define SL_FIELD(name) decltype(&::name) name = nullptr;
  SL_CUBLAS_LT_FUNCTIONS(SL_FIELD)
#undef SL_FIELD
  // Error: the library does not exist.
  static Result<const CublasLt*> Open();
};

// A device's handle and the scratch space that its products share: they run one
// after another on its compute stream.
struct CublasLtHandle {
  cublasLtHandle_t handle = nullptr;
  Array workspace;
  static Result<const CublasLtHandle*> For(CudaDevice& device);
};

inline constexpr int64_t kCublasWorkspace = int64_t{32} << 20;

}  // namespace sluice
