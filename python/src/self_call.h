// Recursive captured functions. In a graph such a function becomes one node
// that calls itself (front/recursion.h), which must exist before its code is
// recorded: when recursion is first detected, the recording is discarded and
// started again.
//
// Both signals pass through the user's Python code as exceptions that no
// `except Exception` catches. Under the GIL.
#pragma once

#include "common.h"

namespace sluice::py {

// Signals recursion; caught by the outermost call.
[[noreturn]] void ThrowSelfCall();
bool IsSelfCall(const nb::python_error& error);

// Replaces nb::python_error: a Python exception that represents
// front_internal::UnknownResults becomes that again. REQUIRES: an exception is
// set.
[[noreturn]] void ThrowPythonError();
// The inverse. REQUIRES: inside a catch block of UnknownResults.
void SetUnknownResults();

void BindSelfCall(nb::module_& m);

}  // namespace sluice::py
