// a @ b by numpy's rules: vectors are rows or columns as needed, stacks of
// matrices multiply matrix by matrix with broadcasting.
#pragma once

#include "common.h"
#include "operand.h"

namespace sluice::py {

// Throws ValueError when a side has no axes.
Tensor MatMulOf(Given a, Given b);

// Slot of the class.
PyObject* TensorMatMul(PyObject* a, PyObject* b);

void BindMatMul(nb::module_& m);

}  // namespace sluice::py
