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

// Python is finalizing, or gone. From then on no other thread than the one that
// ends Python ever runs Python again: do not wait for one that might want to.
bool PythonEnds();

// Until the process is gone.
[[noreturn]] void WaitForTheEnd();

// Around calls that find out about this thread's place in the interpreter, and
// do not block: the interpreter is there until the last of them is over.
// Whoever comes after that, on another thread than the one that ends Python,
// waits for the end.
class InterpreterThere {
 public:
  InterpreterThere();
  ~InterpreterThere();
  InterpreterThere(const InterpreterThere&) = delete;
  InterpreterThere& operator=(const InterpreterThere&) = delete;

  // False on the thread that ends Python, when it has come so far that there
  // is nothing to find out any more: it has the GIL.
  bool there() const { return there_; }

 private:
  bool there_;
};

}  // namespace sluice::py
