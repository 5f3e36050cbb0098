// Copies rows so that they start at multiples of 16 bytes, with zeros after and
// below them. T: a type of the elements' size.
#pragma once

#include "sluice/cuda/affine.cuh"

namespace sluice {

// As in kernels/cuda/gemm.cc.
struct PadArgs {
  const T* from;
  T* to;
  int64_t rows, columns, from_step;
  int64_t to_rows, to_step;
};

// A block proceeds along a row: adjacent threads of a warp move adjacent
// elements.
SL_GLOBAL(pad_rows, PadArgs, a) {
  for (int64_t row = blockIdx.x; row < a.to_rows; row += gridDim.x) {
    const T* from = a.from + row * a.from_step;
    T* to = a.to + row * a.to_step;
    int64_t columns = row < a.rows ? a.columns : 0;
#pragma unroll 8
    for (int64_t i = threadIdx.x; i < columns; i += blockDim.x) to[i] = from[i];
    for (int64_t i = columns + threadIdx.x; i < a.to_step; i += blockDim.x) {
      to[i] = T(0);
    }
  }
}

// The reverse: rows of `columns` elements, without the padding.
SL_GLOBAL(cut_rows, PadArgs, a) {
  for (int64_t row = blockIdx.x; row < a.rows; row += gridDim.x) {
    const T* from = a.from + row * a.from_step;
    T* to = a.to + row * a.to_step;
#pragma unroll 8
    for (int64_t i = threadIdx.x; i < a.columns; i += blockDim.x) {
      to[i] = from[i];
    }
  }
}

}  // namespace sluice
