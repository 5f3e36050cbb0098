// Equally spaced numbers. T: their type.
#pragma once

#include "sluice/cuda/elementwise.cuh"

namespace sluice {

struct RangeArgs {
  void* to;
  int64_t n;
  uint64_t start, delta;  // as bits of T
};

template <class V>
inline V NumberFrom(uint64_t bits) {
  if constexpr (sizeof(V) == 4) {
    return std::bit_cast<V>(uint32_t(bits));
  } else {
    return std::bit_cast<V>(bits);
  }
}

SL_GLOBAL(range, RangeArgs, a) {
  T* to = static_cast<T*>(a.to);
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      to[i] = T(double(NumberFrom<T>(a.start)) +
                double(i) * double(NumberFrom<T>(a.delta)));
    } else if constexpr (std::is_integral_v<T>) {
      to[i] = T(a.start + uint64_t(i) * a.delta);
    }
  }
}

struct LinspaceArgs {
  const void *start, *stop;
  void* to;
  int64_t n;
};

SL_GLOBAL(linspace, LinspaceArgs, a) {
  double start = double(Widen(*static_cast<const T*>(a.start)));
  double stop = double(Widen(*static_cast<const T*>(a.stop)));
  double step = a.n > 1 ? (stop - start) / double(a.n - 1) : 0;
  T* to = static_cast<T*>(a.to);
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    // Counted from the nearer end, so that both ends are exact.
    double v = 2 * i < a.n ? start + double(i) * step
                           : stop - double(a.n - 1 - i) * step;
    to[i] = T(Compute<T>(v));
  }
}

}  // namespace sluice
