// The types operands are computed in: brought together as users of numpy and
// PyTorch expect.
//
// Operands that share a type in the op's record are converted to one they
// promote to (dtype.h). Tensors with axes come first, tensors without next,
// numbers and lists written in the program last: a later kind counts only where
// its numbers are of a higher one, as floats are beside integers. So f32[3] *
// f64[] is f32. Integers become f32 where an op takes only floats. A number of
// the program that the type does not hold is refused, not wrapped; compared
// with, it is compared as it is.
#pragma once

#include <span>

#include "operand.h"
#include "sluice/op/record.h"

namespace sluice::py {

// Converts operands in place. A type: bools or small integers were widened for
// an op that does not take them, and its results are to be of that type again.
DType BringTogether(const OpRecord& op, std::span<Given> inputs,
                    const Attrs& attrs);

// Of numbers that meet no tensor: Python's floats are f32.
inline DType WeakDefault(DType dtype) {
  return dtype == DType::kF64 ? DType::kF32 : dtype;
}

}  // namespace sluice::py
