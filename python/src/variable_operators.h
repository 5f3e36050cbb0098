// A Variable as an operand: its operators and methods are those of the tensor
// read from it.
#pragma once

#include "common.h"

namespace sluice::py {

// Operators and indexing. Ends with an empty slot; lives forever.
PyType_Slot* VariableSlots();

// A method of Tensor, for the value read here. Throws AttributeError if Tensor
// does not have it.
nb::object VariableAttribute(nb::handle self, nb::handle name);

}  // namespace sluice::py
