// The end of the process while threads are in C++: daemon threads of Python's,
// and threads of ours that call Python. They stop, the process ends quietly
// with its own exit code, and whoever ends it never waits for them.
//
// exit.cc has the means; what a place in the binding has to know is here.
#pragma once

#include "common.h"

namespace sluice::py {

// Called once, by the module. REQUIRES: the GIL.
void WatchTheEnd();

// Python is finalizing, or finalized. From then on only the finalizing thread
// can run Python: do not wait for a thread that might need it.
bool PythonEnds();

// Blocks until the process has ended.
[[noreturn]] void WaitForTheEnd();

// Guards short calls that query this thread's interpreter state: the
// interpreter exists until the last of them has ended. A later call, on any
// thread but the finalizing one, waits for the end of the process.
class InterpreterThere {
 public:
  InterpreterThere();
  ~InterpreterThere();
  InterpreterThere(const InterpreterThere&) = delete;
  InterpreterThere& operator=(const InterpreterThere&) = delete;

  // False on the finalizing thread once its state can no longer be queried: it
  // holds the GIL.
  bool there() const { return there_; }

 private:
  bool there_;
};

}  // namespace sluice::py
