// out= of functions: the result is computed as ever, then written over tensors
// that are given (sluice/_written.py).
#pragma once

#include "common.h"

namespace sluice::py {

// Takes over `result`; null with a Python error where it is null or does not
// fit. out None: the result itself.
PyObject* WrittenOver(PyObject* result, PyObject* out, std::string_view what);

}  // namespace sluice::py
