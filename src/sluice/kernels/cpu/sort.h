// Sorting and selecting along rows. Order: numbers by size, NaN above them all;
// equal elements keep their order. Rows are distributed over threads; threads
// share very long ones. Plain functions; any thread.
#pragma once

#include "sluice/base/worker_pool.h"
#include "sluice/tensor/dtype.h"

namespace sluice {

struct SortRows {
  DType dtype = DType::kInvalid;  // a real type or bool
  int64_t rows = 0, n = 0;        // rows of n elements, contiguous
  bool descending = false;
};

// Workspace bytes of Sort, ArgSort and SelectTop for these rows.
int64_t SortBytes(const SortRows& job);

// y = the elements of x, each row sorted. x and y may be the same.
void Sort(const SortRows& job, const void* x, void* y, void* scratch,
          WorkerPool* pool);
// index = the positions of the elements of x in their row, in sorted order.
void ArgSort(const SortRows& job, const void* x, int64_t* index, void* scratch,
             WorkerPool* pool);
// The first k positions of ArgSort, and the elements there: values and index
// are rows of k. If not `sorted`, they may come in any order, but always the
// same one. REQUIRES: 0 <= k <= n.
void SelectTop(const SortRows& job, int64_t k, bool sorted, const void* x,
               void* values, int64_t* index, void* scratch, WorkerPool* pool);

}  // namespace sluice
