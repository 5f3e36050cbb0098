// Converts elements to the type of their destination: a placeholder, a
// variable, a component of a queue. Integers become floats, and numbers others
// of their kind, like numpy's `same_kind`; integers must fit.
#pragma once

#include "common.h"
#include "sluice/tensor/array.h"

namespace sluice::py {

// Whether elements of type `from` may be stored as `to`.
bool SameKind(DType from, DType to);

// The array as that type, or unchanged if that is not possible: the receiver
// then reports the expected type.
Array FitArray(const Array& array, DType dtype);

// The same for anything an op takes; `what` names it in messages.
Tensor FitTensor(nb::handle object, std::string_view what, DType dtype);

}  // namespace sluice::py
