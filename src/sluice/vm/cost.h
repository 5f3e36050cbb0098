// A rough time for one run of a conditional, a loop or a call: enough to tell
// what is worth another thread.
#pragma once

#include "sluice/graph/node.h"

namespace sluice {

double BytecodeCostNanos(const Node& node);

// How often a loop runs, when its counter starts, steps and ends at constants;
// its maximum else; -1 when neither is known.
int64_t KnownTrips(const Node& loop);

}  // namespace sluice
