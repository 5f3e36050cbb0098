// Sorting and selecting along rows. Order: numbers by size, NaN above them all;
// equal elements keep their order. Rows are shared out to threads, very long
// ones are shared among them.
#pragma once

#include "sluice/base/worker_pool.h"
#include "sluice/tensor/dtype.h"

namespace sluice {

struct SortRows {
  DType dtype = DType::kInvalid;  // a real type or bool
  int64_t rows = 0, n = 0;        // rows of n elements, one after the other
  bool descending = false;
};

// Bytes of scratch for Sort, ArgSort and SelectTop of these rows.
int64_t SortBytes(const SortRows& job);

// y = the elements of x, row by row in order. x and y may be the same.
void Sort(const SortRows& job, const void* x, void* y, void* scratch,
          WorkerPool* pool);
// index = the places in their row of the elements of x, in order.
void ArgSort(const SortRows& job, const void* x, int64_t* index, void* scratch,
             WorkerPool* pool);
// The first k of what ArgSort gives, and the elements there: values and index
// are rows of k. When not `sorted` they may come in any order, the same every
// time. REQUIRES: 0 <= k <= n.
void SelectTop(const SortRows& job, int64_t k, bool sorted, const void* x,
               void* values, int64_t* index, void* scratch, WorkerPool* pool);

}  // namespace sluice
