// Reference cycles through the tape, made visible to Python's garbage
// collector: a tensor whose hook holds the tensor, or a module that keeps the
// result of a function whose context keeps the module.
//
// Python does not know about references owned by C++. But if a Python tensor is
// the only owner of a value, and that value the only owner of its history, the
// Python functions there belong to the tensor: it visits and clears them.
// Anything reachable from elsewhere is skipped, and so is everything while any
// thread runs C++ without the GIL: ownership could change between the
// collector's passes.
//
// Under the GIL.
#pragma once

#include "common.h"

namespace sluice::py {

// tp_traverse and tp_clear of the class Tensor.
int TraverseTensor(PyObject* self, visitproc visit, void* arg);
int ClearTensor(PyObject* self);

}  // namespace sluice::py
