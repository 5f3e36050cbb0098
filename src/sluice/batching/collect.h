// Collected: results of lanes that arrive in groups, with the indices of their
// lanes; finally put in lane order. Groups may be empty; the values of an empty
// group may have any shape, because they were not computed.
#pragma once

#include "sluice/batching/emitter.h"

namespace sluice {

struct Collected {
  Emitter::Values rows;  // per result: a slice for each lane
  Value lanes;           // their indices, a vector
};

Collected Append(Emitter& emit, const Collected& all, const Collected& more);

// REQUIRES: every lane occurs exactly once.
Emitter::Values InOrder(Emitter& emit, const Collected& all);

}  // namespace sluice
