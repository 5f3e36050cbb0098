// Ctrl-C while C++ runs. Long work on the main thread (everything under a
// ReleaseGil) can be interrupted: a SIGINT cancels the step, or ends the
// backward pass or the loop at its next call, and KeyboardInterrupt is raised.
//
// The running code needs no support for this: it opens a ReleaseGil and
// propagates the sluice::Error of a cancelled step, which errors.cc converts to
// the right exception. RunInterruptibly combines these.
//
// Active only while Python's default handler of SIGINT is installed
// (default_int_handler). A program's own handler runs after the C++ code has
// ended, as for any extension, and the code is not interrupted.
#pragma once

#include "caller_line.h"

namespace sluice::py {

// Runs f without the GIL; Ctrl-C stops it.
template <class F>
auto RunInterruptibly(F&& f) {
  ReleaseGil released;
  return f();
}

}  // namespace sluice::py
