// Rows changed by index on a GPU, with the results of kernels/cpu/scatter.h:
// updates are sorted by row, then every element of a row takes its own one
// after the other. No atomics of floats; the same bits every time.
//
// Plain functions; in the order of the launch's stream; any thread.
#pragma once

#include "sluice/kernels/cpu/scatter.h"
#include "sluice/op/kernel_context.h"

namespace sluice {

// How the elements of a row come to be.
struct ScatterFold {
  bool wide = false;  // halves are rounded once, behind the last update
  bool mean = false;  // divided by the number of updates
};

// Bytes of scratch for `count` updates.
int64_t ScatterScratchBytes(int64_t count);

// The numbers of updates by row, those of one row in order: `keys` are the
// rows, `order` the numbers. Updates of no row stand at the end, with key
// `rows`. In the scratch. Declines 2^31 updates and more.
struct SortedRows {
  const uint32_t *keys = nullptr, *order = nullptr;
};
Result<SortedRows> SortByRowOnGpu(const KernelContext& ctx, DType index_dtype,
                                  const void* index, int64_t count,
                                  int64_t rows, void* scratch);

// As ScatterRows, everything in the GPU's memory. Indices outside [0, rows) are
// left out: who wants them told checks them (index_checks.h). update_dtype is
// the target's. Declines types the op does not take.
Status ScatterRowsOnGpu(const KernelContext& ctx, const RowScatter& scatter,
                        void* target, DType index_dtype, const void* index,
                        const void* updates, void* scratch,
                        ScatterFold how = {});

}  // namespace sluice
