// Rows copied to where they begin at multiples of 16 bytes, with zeros behind
// them and below. T: a type of the elements' size.
#pragma once

#include "sluice/cuda/affine.cuh"

namespace sluice {

// As kernels/cuda/gemm.cc has it.
struct PadArgs {
  const T* from;
  T* to;
  int64_t rows, columns, from_step;
  int64_t to_rows, to_step;  // a multiple of a pack
};

SL_GLOBAL(pad_rows, PadArgs, a) {
  constexpr int kPack = 16 / sizeof(T);
  using Some = Pack<T, kPack>;
  int64_t row_packs = a.to_step / kPack, packs = a.to_rows * row_packs;
  for (int64_t i = FirstThread(); i < packs; i += AllThreads()) {
    int64_t row = Quotient(i, row_packs);
    int64_t column = (i - row * row_packs) * kPack;
    const T* from = a.from + row * a.from_step + column;
    Some some;
#pragma unroll
    for (int k = 0; k < kPack; ++k) {
      some.v[k] = row < a.rows && column + k < a.columns ? from[k] : T(0);
    }
    reinterpret_cast<Some*>(a.to)[i] = some;
  }
}

// The other way: rows of `columns` elements, without what is behind them.
SL_GLOBAL(cut_rows, PadArgs, a) {
  constexpr int kPack = 16 / sizeof(T);
  using Some = Pack<T, kPack>;
  int64_t row_packs = a.from_step / kPack, packs = a.rows * row_packs;
  for (int64_t i = FirstThread(); i < packs; i += AllThreads()) {
    int64_t row = Quotient(i, row_packs);
    int64_t column = (i - row * row_packs) * kPack;
    Some some = reinterpret_cast<const Some*>(a.from)[i];
    T* to = a.to + row * a.to_step + column;
#pragma unroll
    for (int k = 0; k < kPack; ++k) {
      if (column + k < a.columns) to[k] = some.v[k];
    }
  }
}

}  // namespace sluice
