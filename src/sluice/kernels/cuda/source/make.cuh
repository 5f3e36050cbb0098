// Elements computed from their indices alone, or kept and cleared by them. T:
// an unsigned integer of the elements' size.
#pragma once

#include "sluice/cuda/elementwise.cuh"

namespace sluice {

// Matrices with only the diagonals from `low` to `high`; the main one is 0. If
// `from` is null their elements are `on`, else those of `from`.
struct BandArgs {
  const void* from;
  void* to;
  int64_t n, rows, columns;
  int64_t low, high;
  uint64_t on;
};

SL_GLOBAL(band, BandArgs, a) {
  const T* from = static_cast<const T*>(a.from);
  T* to = static_cast<T*>(a.to);
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    int64_t line = i / a.columns, column = i - line * a.columns;
    int64_t diagonal = column - line % a.rows;
    bool inside = diagonal >= a.low && diagonal <= a.high;
    to[i] = !inside ? T(0) : from ? from[i] : T(a.on);
  }
}

}  // namespace sluice
