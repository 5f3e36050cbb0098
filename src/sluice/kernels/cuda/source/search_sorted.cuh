// The insertion positions of values among sorted elements. T: their type;
// kRight: after equal elements.
#pragma once

#include "sluice/cuda/elementwise.cuh"
#include "sluice/kernels/cpu/sort_key.h"

namespace sluice {

struct SearchArgs {
  const void *sorted, *values;
  int64_t* to;
  int64_t total, n;
  int64_t row;  // values of one row of sorted elements
};

SL_GLOBAL(search, SearchArgs, a) {
  using Key = typename SortKey<T>::Key;
  const T* values = static_cast<const T*>(a.values);
  for (int64_t i = FirstThread(); i < a.total; i += AllThreads()) {
    const T* sorted = static_cast<const T*>(a.sorted) + i / a.row * a.n;
    Key key = SortKey<T>::Of(values[i]);
    int64_t first = 0;
    for (int64_t left = a.n; left > 0;) {
      int64_t half = (left + 1) / 2;
      Key at = SortKey<T>::Of(sorted[first + half - 1]);
      bool before = kRight ? at <= key : at < key;
      first += before ? half : 0;
      left -= half;
    }
    a.to[i] = first;
  }
}

}  // namespace sluice
