// Backward along the tape, from some values to those they came from: latest
// call first, each call once, with the sum of the gradients flowing into it.
//
// Runs on the calling thread. What it reads and changes are the nodes it meets
// and the leaves at their ends.
#pragma once

#include "sluice/eager/tape.h"

namespace sluice {

struct BackwardRequest {
  std::span<const EagerRef> roots;
  // What flows into each root: null or missing for ones, if it is a scalar.
  std::span<const EagerRef> gradients{};
  // Where gradients are asked for. Empty: all leaves, which add what they get
  // to their grad.
  std::span<const EagerRef> inputs{};
  bool retain = false;  // keep what calls have kept, for another time
  bool record = false;  // the gradients can be differentiated themselves
  bool stop_at_inputs = false;  // what an input was made of is none of it
};

// One per input; null where nothing flows to it. Empty without inputs.
Result<std::vector<EagerRef>> RunBackward(const BackwardRequest& request);

// One sentence on why `y` has no gradient with respect to `x`; empty when it
// has one.
std::string WhyNoEagerGrad(const EagerRef& y, const EagerRef& x);

}  // namespace sluice
