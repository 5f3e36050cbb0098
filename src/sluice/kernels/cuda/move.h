// Moving elements within a GPU's memory: regions of any strides, one value
// everywhere, index by index. What the kernels of movement ops are made of.
//
// Plain functions; in the order of the launch's stream; any thread.
#pragma once

#include <string>

#include "sluice/kernels/formula/axis_source.h"
#include "sluice/op/kernel_context.h"
#include "sluice/tensor/array.h"

namespace sluice {

// Copies a region of `shape` from one strided place to another, both in the
// GPU's memory. Pointers are at the region's first element. REQUIRES: no
// overlap.
Status CopyRegionOnGpu(const KernelContext& ctx, DType dtype,
                       const Shape& shape, const void* from,
                       const Strides& from_strides, void* to,
                       const Strides& to_strides);
// The whole of an array. REQUIRES: equal dtype and shape.
Status CopyAllOnGpu(const KernelContext& ctx, const Array& from,
                    const Array& to);

// `n` elements are `value`, converted as Cast does.
Status FillOnGpu(const KernelContext& ctx, DType dtype, double value, int64_t n,
                 void* to);
// The same for a contiguous array; and with a value in the GPU's memory.
Status FillOnGpu(const KernelContext& ctx, const Array& to, double value);
Status FillFromOnGpu(const KernelContext& ctx, const Array& to,
                     const Array& value);

// to[i][j] = from[at(i)][at(j)] with at(i) = SourceOf(mode, i - before, size)
// on every axis; `value` where there is none. REQUIRES: both contiguous, equal
// ranks.
Status RemapOnGpu(const KernelContext& ctx, AxisSource mode, const Array& from,
                  std::span<const int64_t> before, double value,
                  const Array& to);

// A number as the bits of an element, over and over.
uint64_t ElementPattern(double value, DType dtype);
// Lines for sources (FileFunction): T, a type of so many bytes.
std::string MovedType(int64_t bytes);
// The most bytes (16 at most) that rows of `bytes` at these addresses can be
// moved in at a time.
int64_t MovedBytes(int64_t bytes, const void* from, const void* to);

// `to` gets the elements of `from`, either of any strides, in the order of the
// stream. REQUIRES: both in that GPU's memory, equal dtype and shape.
Status CopyStridedOnGpu(KernelContext& ctx, const Array& from, const Array& to);

}  // namespace sluice
