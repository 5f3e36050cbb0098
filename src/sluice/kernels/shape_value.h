// Shapes that come as tensors: the `shape` input of Reshape and similar ops.
// Plain functions; any thread.
#pragma once

#include <vector>

#include "sluice/op/kernel_context.h"
#include "sluice/op/shape_context.h"

namespace sluice {

// The elements of an i32 or i64 array in row-major order, for any strides.
PoolVector<int64_t> IntValues(const Array& array);

// The shape in input i, a vector of i64: exact if its value is known, of known
// rank if its length is, else unknown. Errors: not a vector, too long, negative
// sizes, too many elements.
Result<PartialShape> ShapeFromInput(const ShapeContext& c, int i);

// For kernels of dynamic_output() ops, whose inputs are not checked in advance:
// runs the shape function on the inputs of the launch for its errors.
Status CheckShapes(const KernelContext& ctx);

// PartialShape::Make with the op's name before the message.
Result<PartialShape> MakeOutShape(const ShapeContext& c, Dims dims);

}  // namespace sluice
