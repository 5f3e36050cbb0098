// The scopes that Python's `with` statements have opened on this thread: C++
// scopes (eager/scope.h), which must close in the reverse order and on their
// own thread, kept so whatever a program does with its `with` objects.
//
// Entries own the Python objects they point into, such as the graph, so that an
// open scope never points at something gone. A scope closed out of order stays
// until those above it are closed. Under the GIL.
#pragma once

#include <functional>
#include <memory>

#include "common.h"

namespace sluice::py {

// Opens what `open` makes (any object whose destructor closes it) for `token`,
// the Python object of the `with` statement, and keeps `owned` meanwhile.
void PushScope(nb::handle token, nb::object owned,
               const std::function<std::shared_ptr<void>()>& open);

// Closes the innermost scope of `token`. Throws RuntimeError when there is none
// on this thread, or when scopes above it are open.
void PopScope(nb::handle token);

}  // namespace sluice::py
