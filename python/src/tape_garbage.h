// Circles through the tape, seen by Python's garbage collector: a tensor whose
// hook holds the tensor, a module that keeps the result of a function whose
// context keeps the module.
//
// What C++ owns is nothing Python knows of. But where a Python tensor alone has
// a value, and that value alone the calls it came from, the Python functions
// there are the tensor's own: it visits them, and lets go of them. Anything
// that somebody else may still reach is left alone, and so is everything while
// C++ runs without the GIL, on any thread: what was the tensor's own when the
// collector counted could be another's when it looks again.
//
// Under the GIL.
#pragma once

#include "common.h"

namespace sluice::py {

// tp_traverse and tp_clear of the class Tensor.
int TraverseTensor(PyObject* self, visitproc visit, void* arg);
int ClearTensor(PyObject* self);

}  // namespace sluice::py
