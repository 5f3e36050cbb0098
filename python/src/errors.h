// sluice::Error as Python's own classes: ValueError, IndexError, ... The text
// is the one C++ programs see.
#pragma once

#include "common.h"

namespace sluice::py {

// Errors that leave a function of the module become exceptions of Python.
void TranslateErrors();

// Sets the exception that stands for this one. For code that is called by
// Python directly, not through nanobind. REQUIRES: inside a catch block.
void SetPythonError();

[[noreturn]] void ThrowTypeError(const std::string& message);
[[noreturn]] void ThrowValueError(const std::string& message);

}  // namespace sluice::py
