// The out= argument of functions: the result is computed as usual, then stored
// in the given tensors (sluice/_written.py).
#pragma once

#include "common.h"

namespace sluice::py {

// Takes ownership of `result`. Returns null with a Python error if `result` is
// null or does not fit. If out is None, returns the result.
PyObject* WrittenOver(PyObject* result, PyObject* out, std::string_view what);

}  // namespace sluice::py
