// `on` where the position on the last axis equals the index, `off` elsewhere.
// T: an unsigned integer of the elements' size; I: the type of the indices.
#pragma once

#include "sluice/cuda/elementwise.cuh"

namespace sluice {

struct OneHotArgs {
  const void* index;
  void* to;
  int64_t n, depth;
  uint64_t on, off;
};

SL_GLOBAL(one_hot, OneHotArgs, a) {
  const I* index = static_cast<const I*>(a.index);
  T* to = static_cast<T*>(a.to);
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    int64_t row = i / a.depth;
    to[i] = int64_t(index[row]) == i - row * a.depth ? T(a.on) : T(a.off);
  }
}

}  // namespace sluice
