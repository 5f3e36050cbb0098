// The user's source line in Python: the innermost frame outside this package.
// Every C++ function that takes a std::source_location gets it through
// SourceLine::From, so nothing needs to be passed.
//
// Frames are read while the thread holds the GIL. Code that releases the GIL
// records the line first (ReleaseGil); code that calls the user's Python from
// C++ takes the GIL (TakeGil).
#pragma once

#include <optional>

#include "common.h"
#include "interrupt_region.h"
#include "sluice/base/source_line.h"

namespace sluice::py {

// Enables Python lines. `package` is the folder of our modules, whose frames
// are skipped.
void FindPythonLines(const std::string& package);

// The current line of the user's program. REQUIRES: the GIL.
SourceLine PythonLine();

// Runs C++ without the GIL. Other Python threads can run, and Ctrl-C stops it
// (interrupt.h). If Python has been finalized in the meantime, the thread does
// not return (exit.h); the same holds for TakeGil.
class ReleaseGil {
 public:
  ReleaseGil();
  ~ReleaseGil();
  ReleaseGil(const ReleaseGil&) = delete;
  ReleaseGil& operator=(const ReleaseGil&) = delete;

 private:
  SourceLine outer_;
  InterruptibleRegion region_;
  PyThreadState* state_;
  PyThreadState* outer_state_;
};

// Runs Python from C++, whether or not the thread holds the GIL.
class TakeGil {
 public:
  TakeGil();
  ~TakeGil();
  TakeGil(const TakeGil&) = delete;
  TakeGil& operator=(const TakeGil&) = delete;

 private:
  SourceLine outer_;
  PythonRegion region_;
  PyThreadState* outer_state_;
  PyThreadState* taken_ = nullptr;  // null: had_, or the interpreter is gone
  bool had_ = false;                // the thread had the GIL
  bool made_ = false;               // taken_, for a thread not of Python's
};

}  // namespace sluice::py
