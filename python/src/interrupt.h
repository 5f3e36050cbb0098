// Ctrl-C while C++ runs. The main thread's long work (everything under a
// ReleaseGil) is interruptible: a SIGINT cancels the step, ends the backward
// pass or the loop at its next call, and comes out as KeyboardInterrupt.
//
// Nothing is asked of code that runs: it opens a ReleaseGil, and lets the
// sluice::Error of a cancelled step pass; errors.cc makes the right exception
// of it. RunInterruptibly says that in one word.
//
// Only while Python's own handler of SIGINT is in force (default_int_handler).
// A handler of the program runs when the C++ code has ended, as for any
// extension, and the code is left alone.
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
