// Updates rows with updates sorted by row (sort_rows.cuh): each element
// receives its updates one after another, in order, as on the CPU.
//
// T, U: the types of the target and of the updates; F: the formula of an update
// (kernels/cpu/scatter_formulas.h). kWide: rounded once at the end. kMean:
// divided by the number of updates.
#pragma once

#include "sluice/cuda/elementwise.cuh"
#include "sluice/kernels/cpu/scatter_formulas.h"

namespace sluice {

struct ScatterArgs {
  void* target;  // outer x rows x inner
  const void* updates;
  const uint32_t *keys, *order;
  int64_t n;  // outer x count x inner
  int64_t rows, inner, count;
  int32_t same_update;
};

// The position of a thread: column `column` of update number `at` of a slice.
struct ScatterPlace {
  int64_t slice, at, column;
  ScatterPlace(const ScatterArgs& a, int64_t i) {
    int64_t rest = i / a.inner;
    column = i - rest * a.inner;
    slice = rest / a.count;
    at = rest - slice * a.count;
  }
  int64_t Target(const ScatterArgs& a, uint32_t row) const {
    return (slice * a.rows + row) * a.inner + column;
  }
  int64_t Update(const ScatterArgs& a, uint32_t number) const {
    return a.same_update ? column
                         : (slice * a.count + number) * a.inner + column;
  }
};

}  // namespace sluice
