// Arrays whose element at an index is that of another array at a mapped index,
// computed axis by axis: borders (Pad), copies (Tile), rolled axes. T: a type
// of the elements' size, or of several elements that stay together.
#pragma once

#include "sluice/cuda/elementwise.cuh"
#include "sluice/kernels/formula/axis_source.h"

namespace sluice {

struct RemapArgs {
  const void* from;
  void* to;
  int64_t n;
  int32_t rank;
  int32_t mode;
  int64_t size[kMaxWalkRank];    // of the result, innermost axis first
  int64_t source[kMaxWalkRank];  // of the source
  int64_t before[kMaxWalkRank];  // the start of the source in the result
  uint64_t value;                // an element of the border
};

SL_GLOBAL(remap, RemapArgs, a) {
  const T* from = static_cast<const T*>(a.from);
  T* to = static_cast<T*>(a.to);
  auto mode = AxisSource(a.mode);
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    int64_t rest = i, here = 0, step = 1;
    for (int axis = 0; axis < a.rank; ++axis) {
      int64_t next = rest / a.size[axis], index = rest - next * a.size[axis];
      int64_t at = SourceOf(mode, index - a.before[axis], a.source[axis]);
      here = at < 0 || here < 0 ? -1 : here + at * step;
      step *= a.source[axis];
      rest = next;
    }
    to[i] = here < 0 ? Border(a.value) : from[here];
  }
}

}  // namespace sluice
