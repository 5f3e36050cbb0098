// The types in which operands of an op are computed, the same in C++ and in
// Python, and as users of numpy and PyTorch expect.
//
// Operands that share a type in the op's record are converted to one they
// promote to. Tensors with axes come first, tensors without next, numbers
// written in the program last: a later kind counts only where its numbers are
// of a higher one, as floats are beside integers. So f32[3] * f64[] is f32, and
// i64[3] * 0.5 is f32. Integers become f32 where an op takes only floats.
//
// Pure functions.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "sluice/op/record.h"
#include "sluice/tensor/dtype.h"

namespace sluice::front_internal {

// The declared input that operand i of `count` belongs to; null when there are
// too many.
const ArgSpec* InputSpec(const OpRecord& op, size_t i, size_t count);

// The order of kinds: bool gives way to integers, they to floats, those to
// complex numbers, and all of them to everything else.
int NumberKind(DType t);

// The type two operands are computed in: integers give way to floats, smaller
// ones to larger ones, f16 and bf16 to f32.
DType Promote(DType a, DType b);

// An operand as far as types go.
struct TypedOperand {
  DType dtype = DType::kInvalid;
  bool weak = false;    // a number of the program
  bool scalar = false;  // certainly without axes
};

// Whether a type holds the numbers of an operand, if these are weak.
using HoldsNumbers = std::function<bool(size_t operand, DType dtype)>;

// The type that all operands declared with type variable `type` are computed
// in. Comparisons are made in a type that holds both sides: u8 < 300 is one of
// wider integers, and so is u8 < tensor(300), which gives way elsewhere for
// having no axes.
DType CommonType(const OpRecord& op, std::string_view type,
                 std::span<const TypedOperand> operands,
                 const HoldsNumbers& holds);

// The type of an input whose record or attributes state one; else kInvalid.
DType StatedType(const ArgSpec& input, const Attrs& attrs);

// What an op takes in place of a type it does not take: floats for integers.
DType AcceptedType(const OpRecord& op, const std::string& type, DType dtype);

// The type results are to have again after operands of type `common` were
// `computed` as another: bools added are bools. kInvalid: as they are.
DType RestoredType(const OpRecord& op, DType common, DType computed);

}  // namespace sluice::front_internal
