// Python's operators on tensors: a + b, a @ b, a < b, -a, a += b.
#pragma once

#include "common.h"
#include "operand.h"

namespace sluice::py {

// An operand of an operator, or false when Python should ask the other side:
// the object is nothing a tensor is computed with.
bool TakeSide(PyObject* o, Given* out);

// For the class; lives as long as the process.
PyType_Slot* TensorSlots();

}  // namespace sluice::py
