// Where the gradients of a loop's results flow when only a run knows how often
// the body ran: boolean variables that the loop carries beside its own, one for
// each variable and each set of places that its body treats alike.
//
// The caller holds the graph's lock; the body has been recorded.
#pragma once

#include <vector>

#include "sluice/trace/region_draft.h"

namespace sluice::front_internal {

struct LoopVariable {
  TapeKey first;      // where the gradient of what it begins as flows
  TapeKey argument;   // and of what an iteration is given
  const Reach* next;  // and of what an iteration makes of it
};

// By variable. Extends inputs, arguments, results of the body and `types`.
std::vector<ReachesTold> LoopReach(RegionDraft& draft,
                                   const std::vector<LoopVariable>& variables,
                                   std::vector<ValueType>& types);

}  // namespace sluice::front_internal
