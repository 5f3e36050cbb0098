// How List and TensorArray call the list ops. Imperative tensors can be written
// in place and lists are values, so an element that goes into a list or comes
// out of it is copied where somebody else could write it. Internal.
#pragma once

#include <source_location>
#include <span>
#include <string_view>
#include <vector>

#include "sluice/eager/call.h"

namespace sluice::front_internal {

// An operand as that type, which nobody can change once a list holds it.
Operand ForList(std::string_view op, const Operand& x, DType dtype);
// A number of elements, or the place of one: of i64 where it is a literal.
Operand AsIndex(std::string_view op, const Operand& index);

// The op on a list and operands made by the functions above. With `take` the
// caller gives up `list`, so that imperatively it may be written where it lies:
// the tensor must not be used again, unless this throws.
std::vector<Tensor> CallOnList(std::string_view op, const Tensor& list,
                               bool take, std::span<const Operand> operands,
                               const Attrs& attrs, std::source_location where);

// The list with copies of those elements, also of lists inside, that lie in the
// memory of one of `others`.
Array ApartFrom(Array list, std::span<const Array> others);

// An element read from a list, as a tensor of its own.
Tensor FromList(Tensor element, std::source_location where);

}  // namespace sluice::front_internal
