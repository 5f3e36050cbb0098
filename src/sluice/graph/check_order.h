// The order of checks and changes of state. If a check fails, the writes before
// it in program order have happened and none after it have. So checks are
// ordered with all changes of state; state changes may still overlap one
// another. effects.h returns the edges.
//
// Plain functions of graphs; any thread that may read the graph.
#pragma once

#include <string_view>
#include <vector>

#include "sluice/graph/effects.h"

namespace sluice {

// ResourcesUsed, plus kChecks: a resource that checks write and other changes
// of state read.
inline constexpr std::string_view kChecks = "checks";
std::vector<ResourceUse> OrderedUses(const Node& node);
// Whether the node may have ordered uses; fast.
bool HasOrderedUses(const Node& node);
// Whether the region, including nested regions, has both checks and the state
// changes that they guard.
bool ChecksGuardState(const Region& region);

}  // namespace sluice
