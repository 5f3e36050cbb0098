// The last update of each row becomes its value. T: a type of the width of each
// move.
#pragma once

#include "sluice/cuda/scatter.cuh"

namespace sluice {

SL_GLOBAL(put, ScatterArgs, a) {
  T* target = static_cast<T*>(a.target);
  const T* updates = static_cast<const T*>(a.updates);
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    ScatterPlace p(a, i);
    uint32_t row = a.keys[p.at];
    bool last = p.at + 1 == a.count || a.keys[p.at + 1] != row;
    if (row >= a.rows || !last) continue;
    target[p.Target(a, row)] = updates[p.Update(a, a.order[p.at])];
  }
}

}  // namespace sluice
