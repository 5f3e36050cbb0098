// Updates rows by index: target[index[i]] op= updates[i], in the order of i, so
// that repeated rows get their updates in order. Threads share the work by
// owning rows (or columns) of the target: no atomics, and the same result for
// any number of threads. Plain functions; any thread.
#pragma once

#include "sluice/base/worker_pool.h"
#include "sluice/tensor/dtype.h"

namespace sluice {

enum class ScatterOp : uint8_t { kUpdate, kAdd, kSub, kMul, kMin, kMax };

// A contiguous target of outer x rows x inner elements, and `count` updates of
// each of its outer slices.
struct RowScatter {
  ScatterOp op = ScatterOp::kUpdate;
  DType dtype = DType::kInvalid;
  int64_t outer = 1, rows = 0, inner = 1, count = 0;
  // Updates are outer x count x inner; or all are the one row at `updates`.
  bool same_update = false;
  // Updates with a negative index are skipped; otherwise there are none.
  bool skip_negative = false;
  // kInvalid: as the target. An f32 target also accepts sums, differences and
  // products of f16 and bf16.
  DType update_dtype = DType::kInvalid;

  int64_t update_size() const {
    return DTypeSize(update_dtype == DType::kInvalid ? dtype : update_dtype);
  }
};

// Half types are added in float and rounded each time; minima and maxima
// propagate NaN. kUpdate supports every plain type, kMin and kMax the real
// types, the others numbers; false for other types.
//
// Either the indices have been checked (indices.h), or `outside` is given. Then
// it is set to the first position whose index is not in [0, rows), and nothing
// is written; or to `count`. If there are few indices, every thread checks all
// of them before it begins, which costs less than one pass that all wait for.
// REQUIRES: index < rows, and >= 0 unless skip_negative; index_dtype is i32 or
// i64; no overlap; not both `outside` and skip_negative.
bool ScatterRows(const RowScatter& scatter, void* target, DType index_dtype,
                 const void* index, const void* updates, WorkerPool* pool,
                 int64_t* outside = nullptr);

// target[at[i]] op= updates[i], in order on this thread; null for types that
// the op does not support.
using ScatterElementsFn = void (*)(void* target, const int64_t* at,
                                   const void* updates, int64_t n);
ScatterElementsFn PickScatterElements(ScatterOp op, DType dtype);

}  // namespace sluice
