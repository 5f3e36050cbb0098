// Rows picked by index, at the speed of memory: the rows to come are prefetched
// while one is copied.
#pragma once

#include "sluice/base/worker_pool.h"
#include "sluice/tensor/dtype.h"

namespace sluice {

// An array seen as outer x size x inner, of which `count` slices of the middle
// axis are wanted.
struct RowPick {
  int64_t outer = 1, size = 1;
  int64_t row_bytes = 0;  // of one slice
  int64_t count = 0;      // indices
  bool checked = false;   // they are known to lie in [0, size)
};

// to[o][i] = from[o][index[i]]. Plain data. Returns `count`, or the first place
// whose index is not in [0, size); then `to` is filled in part. Each task
// checks its own indices as it goes: a pass over all of them in advance would
// have one core fetch them and the others wait. REQUIRES: index_dtype is i32 or
// i64.
int64_t GatherRows(const RowPick& pick, const void* from, DType index_dtype,
                   const void* index, void* to, WorkerPool* pool);

}  // namespace sluice
