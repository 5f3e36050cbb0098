// Signs that linear algebra leaves open, settled: results are then the same
// from every LAPACK as far as numbers can be.
#pragma once

#include <cstdint>

namespace sluice {

// n elements with stride `step`.
template <class T>
void Negate(T* x, int64_t n, int64_t step) {
  for (int64_t i = 0; i < n; ++i) x[i * step] = -x[i * step];
}

// True when the element of the largest magnitude (the first of them) is
// negative.
template <class T>
bool LargestIsNegative(const T* x, int64_t n, int64_t step) {
  T best = 0, largest = -1;
  for (int64_t i = 0; i < n; ++i) {
    T v = x[i * step], size = v < 0 ? -v : v;
    if (size > largest) largest = size, best = v;
  }
  return best < 0;
}

template <class T>
void MakeLargestPositive(T* x, int64_t n, int64_t step) {
  if (LargestIsNegative(x, n, step)) Negate(x, n, step);
}

}  // namespace sluice
