// The order of checks and changes of state. When a check fails, the writes
// before it in program order have happened and none after it have. So checks
// are ordered with changes of any state; those may still overlap one another.
// effects.h gives the edges.
//
// Plain functions of graphs; any thread that may read the graph.
#pragma once

#include <string_view>
#include <vector>

#include "sluice/graph/effects.h"

namespace sluice {

// ResourcesUsed, and kChecks: a resource that checks write and other changes of
// state read.
inline constexpr std::string_view kChecks = "checks";
std::vector<ResourceUse> OrderedUses(const Node& node);
// Whether a node may have any; quick.
bool HasOrderedUses(const Node& node);
// Whether the region, with all inside it, has both checks and what they guard.
bool ChecksGuardState(const Region& region);

}  // namespace sluice
