// Colocation: which nodes must be on one device. State is where its handle is:
// a variable, queue or table with all that use it, a list with what it grows
// from and into; handles are followed through regions, calls and loops. Two
// handles of one shared name are one. Besides, a node may ask to be with
// another one (graph/together_with.h).
#pragma once

#include <vector>

#include "sluice/placement/value_flow.h"

namespace sluice {

// Every node that computes is in one group, mostly alone; in program order, as
// are the groups by their first node. Region ops, functions and calls are in
// none.
std::vector<std::vector<Node*>> ColocationGroups(const ValueFlow& flow);

}  // namespace sluice
