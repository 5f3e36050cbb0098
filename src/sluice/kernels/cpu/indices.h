// Checks indices that come as data: each before an element is read through it,
// all of them before the first element is written through one. Plain functions;
// any thread.
#pragma once

#include "sluice/base/worker_pool.h"
#include "sluice/op/kernel_context.h"

namespace sluice {

// Error unless every element of input `input` (i32 or i64, contiguous) is in
// [0, bound): "[Gather] indices[1] is 3; wanted 0 <= index < 3".
Status CheckIndices(const KernelContext& ctx, int input, int64_t bound);

// For kernels that check a range just before they use it: the first of index[0,
// n) (i32 or i64) outside of [0, bound), or n; and the error above, for the
// element at `place`.
int64_t FirstOutside(DType dtype, const void* index, int64_t n, int64_t bound,
                     WorkerPool* pool = nullptr);
Status OutsideError(const KernelContext& ctx, int input, int64_t place,
                    int64_t bound);

// CheckIndices without the lower bound: negative indices are allowed.
Status CheckIndicesBelow(const KernelContext& ctx, int input, int64_t bound);

// Input `input` holds tuples along its last axis, one index for each of the
// first axes of `shape`. Sets rows[i] to the row-major position of tuple i;
// error if one is out of bounds.
// REQUIRES: the last axis is no longer than shape's rank.
Status FlattenIndices(const KernelContext& ctx, int input, const Shape& shape,
                      int64_t* rows);

}  // namespace sluice
