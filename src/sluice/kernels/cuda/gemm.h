// Matrix products on a GPU.
//
// Any thread.
#pragma once

#include "sluice/device/tf32.h"
#include "sluice/kernels/cuda/cuda_kernel.h"

namespace sluice {

// A row-major matrix in the device's memory, read across if `transposed`.
struct GpuMatrix {
  const void* data = nullptr;
  int64_t row_step = 0;  // elements from one row to the next
  bool transposed = false;
  int64_t batch_step = 0;  // to the same element of the next matrix
};

// c[m, n] = a[m, k] b[k, n], `batch` times. c is row-major.
struct GpuGemm {
  DType dtype = DType::kF32;
  // Of c: kInvalid is that of a and b; f32 keeps the digits of halves' sums.
  DType c_dtype = DType::kInvalid;
  int64_t m = 0, n = 0, k = 0, batch = 1;
  GpuMatrix a, b;
  void* c = nullptr;
  int64_t c_row_step = 0;  // 0: dense
  int64_t c_batch_step = 0;
  // Added to the product, where there is one: a matrix as c is, or one row for
  // all. REQUIRES: batch is 1, and c is dense and of dtype.
  const void* add = nullptr;
  bool add_row = false;

  DType TypeOfC() const { return c_dtype == DType::kInvalid ? dtype : c_dtype; }
  int64_t StepOfC() const { return c_row_step == 0 ? n : c_row_step; }
};

// Floats by cuBLASLt, others by a plain kernel.
Status RunGemm(const KernelContext& ctx, const GpuGemm& gemm);

}  // namespace sluice
