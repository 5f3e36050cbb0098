// What the code of a captured function has raised while it was recorded. Under
// the GIL.
#pragma once

#include <string>

#include "common.h"

namespace sluice::py {

// The exception itself, with its traceback.
nb::object Normalized(const nb::python_error& error);

// Whether the exception tells that the code cannot be part of a graph.
bool IsRefusal(const nb::python_error& error);

// The reason for deciding by value: the exception's message. It may have
// elements of tensors in it, which only such a recording can show.
std::string WhyByValues(const nb::python_error& error);

}  // namespace sluice::py
