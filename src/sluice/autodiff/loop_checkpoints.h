// The gradient of a loop that keeps checkpoints (save = "recompute" or a
// budget): the forward loop keeps what it carries now and then, in lists; the
// gradient is a loop over stretches of iterations, the last ones first, each
// computed again from the checkpoint before it by an ordinary loop and
// differentiated as one. So everything here has gradients itself.
//
// The caller holds the graph's lock.
#pragma once

#include "sluice/autodiff/flow_back.h"

namespace sluice {

bool KeepsCheckpoints(const Node& loop);

// REQUIRES: KeepsCheckpoints(at.node).
Status CheckpointedGradient(const RegionGradient& at);

}  // namespace sluice
