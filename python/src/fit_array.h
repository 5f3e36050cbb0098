// Elements as the type of the place they are put in: a placeholder, a variable,
// a component of a queue. Whole numbers become floats, and numbers others of
// their kind, as numpy's `same_kind` has it; whole numbers must fit.
#pragma once

#include "common.h"
#include "sluice/tensor/array.h"

namespace sluice::py {

// Whether elements of type `from` may be written where `to` is wanted.
bool SameKind(DType from, DType to);

// The array as that type, or as it is when it cannot be: who takes it then says
// what was wanted.
Array FitArray(const Array& array, DType dtype);

// The same for anything an op takes; `what` names it in messages.
Tensor FitTensor(nb::handle object, std::string_view what, DType dtype);

}  // namespace sluice::py
