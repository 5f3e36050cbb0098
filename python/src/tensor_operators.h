// Python's operators on tensors: a + b, a @ b, a < b, -a, a += b.
#pragma once

#include "common.h"
#include "operand.h"

namespace sluice::py {

// Converts an operand of an operator; false if Python should try the other
// operand: tensors cannot be combined with the object.
bool TakeSide(PyObject* o, Given* out);

// For the class; lives as long as the process.
PyType_Slot* TensorSlots();

}  // namespace sluice::py
