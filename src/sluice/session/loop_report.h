// LoopReport: statistics of the loops in all runs on this thread while it is
// open.
//
//   sl::LoopReport report;
//   step(images, labels);                  // a captured function, a session
//   std::cout << report.ToString();
//   // while_loop at model.cc:41: 10000 iterations, 9841 recomputed, ...
//
// Loops of the same name share one entry. Runs go to the innermost open report.
// If none is open, nothing is recorded and there is no cost. Belongs to the
// thread that created it.
#pragma once

#include <string>
#include <vector>

#include "sluice/op/loop_use.h"

namespace sluice {

class [[nodiscard]] LoopReport {
 public:
  LoopReport();
  ~LoopReport();
  LoopReport(const LoopReport&) = delete;
  LoopReport& operator=(const LoopReport&) = delete;

  const std::vector<LoopUse>& loops() const { return loops_; }
  // The loop of that name; null if it did not run.
  const LoopUse* find(std::string_view name) const;
  std::string ToString() const { return sluice::ToString(loops_); }

  // The innermost open report of this thread, or null.
  static LoopReport* Current();
  void Add(const std::vector<LoopUse>& loops);

 private:
  std::vector<LoopUse> loops_;
  LoopReport* outer_;
};

}  // namespace sluice
