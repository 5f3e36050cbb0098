// A Variable as an operand: what it does with operators and methods is what the
// tensor read from it does.
#pragma once

#include "common.h"

namespace sluice::py {

// Operators and indexing. Ends with an empty slot; lives for good.
PyType_Slot* VariableSlots();

// Methods of Tensor, of the value read here. Throws AttributeError for what
// Tensor has not.
nb::object VariableAttribute(nb::handle self, nb::handle name);

}  // namespace sluice::py
