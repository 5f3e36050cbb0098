// Where the gradients of a loop's results flow if the number of iterations is
// known only at run time: extra boolean variables that the loop carries, one
// for each variable and each set of destinations that its body treats alike.
//
// The caller holds the graph's lock; the body has been recorded.
#pragma once

#include <vector>

#include "sluice/trace/region_draft.h"

namespace sluice::front_internal {

struct LoopVariable {
  TapeKey first;      // destination of the initial value's gradient
  TapeKey argument;   // destination of the body argument's gradient
  const Reach* next;  // destinations of the body result's gradient
};

// By variable. Adds inputs, arguments, results of the body and `types`.
std::vector<ReachesTold> LoopReach(RegionDraft& draft,
                                   const std::vector<LoopVariable>& variables,
                                   std::vector<ValueType>& types);

}  // namespace sluice::front_internal
