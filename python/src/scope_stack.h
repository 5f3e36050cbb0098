// The scopes opened by Python's `with` statements on this thread. C++ scopes
// (eager/scope.h) must close in reverse order and on their own thread; this
// stack ensures it, whatever a program does with its `with` objects.
//
// Entries own the Python objects they refer to, such as the graph, so an open
// scope never refers to a destroyed object. A scope closed out of order stays
// until those above it are closed. Under the GIL.
#pragma once

#include <functional>
#include <memory>

#include "common.h"

namespace sluice::py {

// Opens the scope made by `open` (any object whose destructor closes it) for
// `token`, the Python object of the `with` statement, and keeps `owned` alive.
void PushScope(nb::handle token, nb::object owned,
               const std::function<std::shared_ptr<void>()>& open);

// Closes the innermost scope of `token`. Throws RuntimeError if there is none
// on this thread, or if scopes above it are open.
void PopScope(nb::handle token);

}  // namespace sluice::py
