// Collected: results of lanes that came one group after the other, and which
// lanes they are of; put into the lanes' order in the end. Groups may be empty,
// and what an empty group holds may have any shape: nobody computed it.
#pragma once

#include "sluice/batching/emitter.h"

namespace sluice {

struct Collected {
  Emitter::Values rows;  // one for each result, a slice for each lane
  Value lanes;           // their numbers, a vector
};

Collected Append(Emitter& emit, const Collected& all, const Collected& more);

// REQUIRES: every lane was collected once.
Emitter::Values InOrder(Emitter& emit, const Collected& all);

}  // namespace sluice
