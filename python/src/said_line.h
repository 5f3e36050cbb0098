// The user's line, looked up once for a section of C++ that keeps the GIL and
// needs the line in inner code, where it is expensive to check whether this
// thread may read Python's frames. ReleaseGil does the same for sections
// without the GIL.
//
// REQUIRES: the GIL, and no user code runs in the section: its lines would be
// reported as this one.
#pragma once

#include "sluice/base/source_line.h"

namespace sluice::py {

class SaidLine {
 public:
  SaidLine();
  // Uses a line that is already known.
  explicit SaidLine(const SourceLine& line);
  ~SaidLine();
  SaidLine(const SaidLine&) = delete;
  SaidLine& operator=(const SaidLine&) = delete;

 private:
  SourceLine outer_;
};

}  // namespace sluice::py
