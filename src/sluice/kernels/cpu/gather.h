// Gathers rows by index at memory speed: later rows are prefetched while one is
// copied. Plain functions; any thread.
#pragma once

#include "sluice/base/worker_pool.h"
#include "sluice/tensor/dtype.h"

namespace sluice {

// An array viewed as outer x size x inner, of which `count` slices of the
// middle axis are gathered.
struct RowPick {
  int64_t outer = 1, size = 1;
  int64_t row_bytes = 0;  // of one slice
  int64_t count = 0;      // indices
  bool checked = false;   // they are known to be in [0, size)
};

// to[o][i] = from[o][index[i]]. Plain data. Returns `count`, or the first
// position whose index is not in [0, size); then `to` is partly filled. Each
// task checks its own indices as it goes: a separate pass over all of them
// would load them on one core while the others wait. REQUIRES: index_dtype is
// i32 or i64.
int64_t GatherRows(const RowPick& pick, const void* from, DType index_dtype,
                   const void* index, void* to, WorkerPool* pool);

}  // namespace sluice
