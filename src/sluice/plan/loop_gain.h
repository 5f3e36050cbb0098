// Estimates the gain from running iterations of a loop in parallel. Node costs
// come from traced runs if there are any, else from estimates. A loop that
// gains runs on tokens rather than as one compiled piece.
//
// Plain functions; the graph must not change during a call.
#pragma once

#include <functional>
#include <string>

#include "sluice/plan/plan.h"

namespace sluice {

struct LoopTimes {
  double iteration_ns = 0;  // all work of one iteration
  // The part for which an iteration waits for the previous one. Iterations
  // cannot start faster than this on any number of threads.
  double wait_ns = 0;
  // The part in kernels that are worth another thread and do not use all
  // threads themselves.
  double shared_ns = 0;
};
LoopTimes TimesOf(const Node& loop,
                  const std::function<double(const Node&)>& measured);

// Why the iterations should run in parallel; empty if they should not.
std::string WhyInParallel(const Node& loop, const PlanOptions& options);

}  // namespace sluice
