// Shapes that come as tensors: the `shape` input of Reshape and its like.
#pragma once

#include <vector>

#include "sluice/op/shape_context.h"

namespace sluice {

// The elements of an i64 array in row-major order, whatever its strides.
std::vector<int64_t> IntValues(const Array& array);

// The shape input i asks for, a vector of i64: exact when its value is known,
// of known rank when its length is, else unknown. Errors: not a vector, too
// long, negative sizes, too many elements.
Result<PartialShape> ShapeFromInput(const ShapeContext& c, int i);

// PartialShape::Make with the op's name before the message.
Result<PartialShape> MakeOutShape(const ShapeContext& c, Dims dims);

}  // namespace sluice
