// Matrix products on a GPU.
//
// Plain functions; any thread.
#pragma once

#include "sluice/device/tf32.h"
#include "sluice/kernels/cuda/cuda_kernel.h"

namespace sluice {

// A row-major matrix in device memory, read as its transpose if `transposed`.
struct GpuMatrix {
  const void* data = nullptr;
  int64_t row_step = 0;  // elements between consecutive rows
  bool transposed = false;
  int64_t batch_step = 0;  // elements between consecutive matrices
};

// c[m, n] = a[m, k] b[k, n], `batch` times. c is row-major.
struct GpuGemm {
  DType dtype = DType::kF32;
  // The type of c. kInvalid: that of a and b; f32 keeps the precision of
  // half-type sums.
  DType c_dtype = DType::kInvalid;
  int64_t m = 0, n = 0, k = 0, batch = 1;
  GpuMatrix a, b;
  void* c = nullptr;
  int64_t c_row_step = 0;  // 0: dense
  int64_t c_batch_step = 0;
  // Added to the product if not null: a matrix like c, or one row for all rows.
  // REQUIRES: batch is 1, and c is dense and of dtype.
  const void* add = nullptr;
  bool add_row = false;

  DType TypeOfC() const { return c_dtype == DType::kInvalid ? dtype : c_dtype; }
  int64_t StepOfC() const { return c_row_step == 0 ? n : c_row_step; }
};

// Floats use cuBLASLt, other types a plain kernel.
Status RunGemm(const KernelContext& ctx, const GpuGemm& gemm);

}  // namespace sluice
