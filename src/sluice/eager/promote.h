// The types operands of an op are computed in, in C++ and in Python alike: as
// users of numpy and PyTorch expect.
//
// Operands that share a type in the op's record are converted to one they
// promote to. Tensors with axes come first, tensors without next, numbers
// written in the program last: a later kind counts only where its numbers are
// of a higher one, as floats are beside integers. So f32[3] * f64[] is f32, and
// i64[3] * 0.5 is f32. Integers become f32 where an op takes only floats.
//
// Pure functions.
#pragma once

#include <string>

#include "sluice/op/record.h"
#include "sluice/tensor/dtype.h"

namespace sluice::front_internal {

// The declared input that operand i of `count` belongs to; null when there are
// too many.
const ArgSpec* InputSpec(const OpRecord& op, size_t i, size_t count);

// What gives way to what: bool to integers, they to floats, those to complex
// numbers, all of them to the rest.
int NumberKind(DType t);

// The type two operands are computed in: integers give way to floats, smaller
// ones to larger ones, f16 and bf16 to f32.
DType Promote(DType a, DType b);

// Of numbers that meet no tensor: those with a fraction are f32.
inline DType WeakDefault(DType dtype) {
  return dtype == DType::kF64 ? DType::kF32 : dtype;
}

// Operands seen one by one, and the type they are computed in.
class CommonType {
 public:
  // A number of the program is `weak`; `scalar`: certainly without axes.
  void Add(DType dtype, bool weak, bool scalar);
  // kInvalid before the first.
  DType get() const;

 private:
  DType full_ = DType::kInvalid, single_ = DType::kInvalid,
        weak_ = DType::kInvalid;
};

// What an op takes in place of a type it does not take: floats for integers.
DType AcceptedType(const OpRecord& op, const std::string& type, DType dtype);

// The type results are to have again after operands of type `common` were
// `computed` as another: bools added are bools. kInvalid: as they are.
DType RestoredType(const OpRecord& op, DType common, DType computed);

}  // namespace sluice::front_internal
