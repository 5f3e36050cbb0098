// Progress: one line that is rewritten on a terminal, and a plain line now and
// then where output goes elsewhere.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

namespace sluice::app {

class Progress {
 public:
  explicit Progress(std::FILE* out);
  // `done` from 0 to 1; `text` says how far it is in the work's own terms.
  void Show(double done, const std::string& text);
  // Leaves the last line standing.
  void Finish();
  double seconds() const;

 private:
  std::FILE* out_;
  bool terminal_;
  std::chrono::steady_clock::time_point start_;
  double last_shown_ = -1;  // seconds, or the tenth on plain output
  size_t last_length_ = 0;
};

}  // namespace sluice::app
