// Rows changed by index: target[index[i]] op= updates[i], one i after the
// other, so that rows named twice get their updates in order. Threads share the
// work by owning rows (or columns) of the target: no atomics, and the same
// result whatever their number.
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
  // Updates lie outer x count x inner; or all are the row at `updates`.
  bool same_update = false;
  // Updates whose index is negative are left out; else there are none.
  bool skip_negative = false;
  // kInvalid: as the target. An f32 target also takes sums, differences and
  // products of f16 and bf16.
  DType update_dtype = DType::kInvalid;

  int64_t update_size() const {
    return DTypeSize(update_dtype == DType::kInvalid ? dtype : update_dtype);
  }
};

// Halves are added in float and rounded each time; minima and maxima pass NaN
// on. kUpdate takes every plain type, kMin and kMax the reals, the others the
// numbers; false for other types.
//
// Indices have been checked (indices.h), or `outside` is given: then it is set
// to the first place whose index is not in [0, rows), and nothing is written;
// or to `count`. Few indices are checked by every thread for itself just before
// it begins, which costs less than one pass that all wait for.
// REQUIRES: index < rows, and >= 0 unless skip_negative; index_dtype is i32 or
// i64; no overlap; not both `outside` and skip_negative.
bool ScatterRows(const RowScatter& scatter, void* target, DType index_dtype,
                 const void* index, const void* updates, WorkerPool* pool,
                 int64_t* outside = nullptr);

// target[at[i]] op= updates[i], one after the other on this thread; null for
// types the op does not take.
using ScatterElementsFn = void (*)(void* target, const int64_t* at,
                                   const void* updates, int64_t n);
ScatterElementsFn PickScatterElements(ScatterOp op, DType dtype);

}  // namespace sluice
