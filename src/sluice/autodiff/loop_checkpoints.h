// The gradient of a loop with checkpoints (save = "recompute" or a budget). The
// forward loop stores its carried values at intervals, in lists. The gradient
// is a loop over segments of iterations, last one first; each segment is
// recomputed from its checkpoint by an ordinary loop and differentiated like
// one. All of this is therefore differentiable again.
//
// The caller holds the graph's lock.
#pragma once

#include "sluice/autodiff/flow_back.h"

namespace sluice {

bool KeepsCheckpoints(const Node& loop);

// REQUIRES: KeepsCheckpoints(at.node).
Status CheckpointedGradient(const RegionGradient& at);

}  // namespace sluice
