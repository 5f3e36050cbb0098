// The user's line in Python: the innermost frame that is not this package's.
// Every C++ function that takes a std::source_location gets it through
// SourceLine::From, with nothing to be passed along.
//
// Frames are read while the thread holds the GIL. Whoever lets go of it notes
// the line first (ReleaseGil), whoever calls the user's Python from C++ takes
// the GIL back (TakeGil).
#pragma once

#include <optional>

#include "common.h"
#include "interrupt_region.h"
#include "sluice/base/source_line.h"

namespace sluice::py {

// Python's line is found from now on. `package` is the folder of our modules,
// whose frames are passed over.
void FindPythonLines(const std::string& package);

// Where the user's program is now. REQUIRES: the GIL.
SourceLine PythonLine();

// Runs C++ without the GIL. Other threads of Python run meanwhile, and Ctrl-C
// stops it (interrupt.h). When Python has ended meanwhile, the thread does not
// come back (exit.h); the same holds for TakeGil.
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

// Runs Python from C++, on a thread that has the GIL or not.
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
