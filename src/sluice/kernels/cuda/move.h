// Moves elements within GPU memory: strided regions, fills, index mappings. The
// kernels of data-movement ops are built from these.
//
// Plain functions; in stream order of the launch; any thread.
#pragma once

#include <string>

#include "sluice/kernels/formula/axis_source.h"
#include "sluice/op/kernel_context.h"
#include "sluice/tensor/array.h"

namespace sluice {

// Copies a region of `shape` between two strided locations in GPU memory.
// Pointers are to the region's first element. REQUIRES: no overlap.
Status CopyRegionOnGpu(const KernelContext& ctx, DType dtype,
                       const Shape& shape, const void* from,
                       const Strides& from_strides, void* to,
                       const Strides& to_strides);
// Copies a whole array. REQUIRES: equal dtype and shape.
Status CopyAllOnGpu(const KernelContext& ctx, const Array& from,
                    const Array& to);

// Sets `n` elements to `value`, converted like Cast.
Status FillOnGpu(const KernelContext& ctx, DType dtype, double value, int64_t n,
                 void* to);
// The same for a contiguous array; and with a value in GPU memory.
Status FillOnGpu(const KernelContext& ctx, const Array& to, double value);
Status FillFromOnGpu(const KernelContext& ctx, const Array& to,
                     const Array& value);

// to[i][j] = from[at(i)][at(j)] with at(i) = SourceOf(mode, i - before, size)
// on every axis; `value` where there is no source. REQUIRES: both contiguous,
// equal ranks.
Status RemapOnGpu(const KernelContext& ctx, AxisSource mode, const Array& from,
                  std::span<const int64_t> before, double value,
                  const Array& to);

// The bits of an element with this value, repeated.
uint64_t ElementPattern(double value, DType dtype);
// Lines for sources (FileFunction): T, a type of `bytes` bytes.
std::string MovedType(int64_t bytes);
// The maximum width in bytes (at most 16) with which rows of `bytes` at these
// addresses can be moved.
int64_t MovedBytes(int64_t bytes, const void* from, const void* to);

// Copies the elements of `from` to `to`, both with any strides, in stream
// order. REQUIRES: both in that GPU's memory, equal dtype and shape.
Status CopyStridedOnGpu(KernelContext& ctx, const Array& from, const Array& to);

}  // namespace sluice
