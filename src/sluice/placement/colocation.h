// Colocation: finds the nodes that must be on one device. State is on the
// device of its handle: a variable, queue or table with all its users, a list
// with its earlier and later versions. Handles are followed through regions,
// calls and loops. Two handles with the same shared name are one. In addition,
// a node may ask to be with another one (graph/together_with.h). Plain
// functions; the graph must not change meanwhile.
#pragma once

#include <vector>

#include "sluice/placement/value_flow.h"

namespace sluice {

// Every node that computes is in one group, usually alone. Nodes are in program
// order, and so are groups, by their first node. Region ops, functions and
// calls are in no group.
std::vector<std::vector<Node*>> ColocationGroups(const ValueFlow& flow);

}  // namespace sluice
