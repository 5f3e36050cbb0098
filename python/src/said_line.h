// The user's line, found once for a stretch of C++ that keeps the GIL and asks
// for it deep inside, where it is dear to find out whether this thread may look
// at Python's frames. As a ReleaseGil does for a stretch without the GIL.
//
// REQUIRES: the GIL, and no code of the user's runs meanwhile: its lines would
// be this one.
#pragma once

#include "sluice/base/source_line.h"

namespace sluice::py {

class SaidLine {
 public:
  SaidLine();
  // What is known to be the line.
  explicit SaidLine(const SourceLine& line);
  ~SaidLine();
  SaidLine(const SaidLine&) = delete;
  SaidLine& operator=(const SaidLine&) = delete;

 private:
  SourceLine outer_;
};

}  // namespace sluice::py
