// Updates rows by index on a GPU, with the results of kernels/cpu/scatter.h:
// updates are sorted by row, then every element of a row receives its updates
// in order. No atomics of floats; the same bits every time.
//
// Plain functions; in stream order of the launch; any thread.
#pragma once

#include "sluice/kernels/cpu/scatter.h"
#include "sluice/op/kernel_context.h"

namespace sluice {

// How the elements of a row are combined.
struct ScatterFold {
  bool wide = false;  // half types are rounded once, after the last update
  bool mean = false;  // divided by the number of updates
};

// Scratch bytes for `count` updates.
int64_t ScatterScratchBytes(int64_t count);

// The update numbers sorted by row, stable: `keys` are the rows, `order` the
// numbers. Updates without a row are at the end, with key `rows`. Stored in the
// scratch memory. Declines 2^31 updates and more.
struct SortedRows {
  const uint32_t *keys = nullptr, *order = nullptr;
};
Result<SortedRows> SortByRowOnGpu(const KernelContext& ctx, DType index_dtype,
                                  const void* index, int64_t count,
                                  int64_t rows, void* scratch);

// As ScatterRows, all in GPU memory. Indices outside of [0, rows) are skipped;
// use index_checks.h to report them. update_dtype is that of the target.
// Declines types that the op does not support.
Status ScatterRowsOnGpu(const KernelContext& ctx, const RowScatter& scatter,
                        void* target, DType index_dtype, const void* index,
                        const void* updates, void* scratch,
                        ScatterFold how = {});

}  // namespace sluice
