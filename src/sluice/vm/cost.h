// Estimates the time of one run of a conditional, a loop or a call, well enough
// to tell what is worth another thread. Plain functions of a graph that must
// not change meanwhile.
#pragma once

#include "sluice/graph/node.h"

namespace sluice {

double BytecodeCostNanos(const Node& node);

// The iteration count of a loop whose counter starts, steps and ends at
// constants; else its maximum; -1 if neither is known.
int64_t KnownTrips(const Node& loop);

}  // namespace sluice
