// Captured functions that call themselves. In a graph such a function becomes
// one node that calls itself (front/recursion.h), which must be known before
// its code is recorded: the first time it is found, what was recorded is thrown
// away and begun again.
//
// Both signals pass through the user's Python code on their way, as exceptions
// no `except Exception` catches. Under the GIL.
#pragma once

#include "common.h"

namespace sluice::py {

// "This function calls itself": caught by the outermost call.
[[noreturn]] void ThrowSelfCall();
bool IsSelfCall(const nb::python_error& error);

// In place of nb::python_error: an exception of Python that stands for
// front_internal::UnknownResults becomes that again. REQUIRES: one is set.
[[noreturn]] void ThrowPythonError();
// The other way. REQUIRES: inside a catch block of UnknownResults.
void SetUnknownResults();

void BindSelfCall(nb::module_& m);

}  // namespace sluice::py
