// What the memory system gives plain loops on all cores: the yardstick of
// kernels that only move bytes.
#pragma once

#include <cstdint>

#include "sluice/tensor/array.h"

namespace sluice::bench {

// y = x, and y = a + 0.5 b, over the process's pool. Equal sizes, f32.
void ParallelCopy(const Array& x, const Array& y);
void ParallelTriad(const Array& a, const Array& b, const Array& y);

// Ten elementwise steps in one compiled loop: the same as FusedTenOps of
// kernels_bandwidth_bench.cc.
void ParallelTenOps(const Array& x, float c, const Array& y);

// The loop of LayerNorm over `count` rows that never leave the first cache: in
// place, on kNormRowsInCache rows for each thread, [threads x that many, n].
inline constexpr int64_t kNormRowsInCache = 8;
void ParallelNormInCache(const Array& rows, const Array& scale,
                         const Array& offset, int64_t count);

// Bytes per second of ParallelCopy (reads plus writes) over arrays of `bytes`
// together; the best of several.
double CopyBandwidth(int64_t bytes);

}  // namespace sluice::bench
