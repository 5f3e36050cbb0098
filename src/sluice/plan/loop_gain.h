// What running iterations of a loop in parallel gains, from what its nodes
// cost: measured where a run was traced, else estimated. A loop that gains runs
// on tokens instead of as one compiled piece.
//
// Plain functions of a graph nobody changes meanwhile.
#pragma once

#include <functional>
#include <string>

#include "sluice/plan/plan.h"

namespace sluice {

struct LoopTimes {
  double iteration_ns = 0;  // all that is done in one
  // Of it, what each iteration waits for in the one before: iterations cannot
  // begin faster, however many threads there are.
  double wait_ns = 0;
  // Of it, kernels worth another thread that do not use all threads themselves.
  double shared_ns = 0;
};
LoopTimes TimesOf(const Node& loop,
                  const std::function<double(const Node&)>& measured);

// Why the loop's iterations should run in parallel; empty: they should not.
std::string WhyInParallel(const Node& loop, const PlanOptions& options);

}  // namespace sluice
