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
#include "common.h"

namespace sluice::py {

// From now on. REQUIRES: the GIL; called once, by the module.
void WatchInterrupts();

// What a ReleaseGil holds: the main thread may be interrupted from here on.
// REQUIRES: the GIL, at both ends.
class InterruptibleRegion {
 public:
  InterruptibleRegion();
  ~InterruptibleRegion();
  InterruptibleRegion(const InterruptibleRegion&) = delete;
  InterruptibleRegion& operator=(const InterruptibleRegion&) = delete;

 private:
  bool opened_;
};

// What a TakeGil holds: Python code looks after itself.
class PythonRegion {
 public:
  PythonRegion();
  ~PythonRegion();
  PythonRegion(const PythonRegion&) = delete;
  PythonRegion& operator=(const PythonRegion&) = delete;

 private:
  bool paused_;
};

// After a failure: true when signals had come, with the exception their
// handlers raised set. REQUIRES: the GIL.
bool RaisedBySignal();

// Runs f without the GIL; Ctrl-C stops it.
template <class F>
auto RunInterruptibly(F&& f) {
  ReleaseGil released;
  return f();
}

}  // namespace sluice::py
