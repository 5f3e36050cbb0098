// The role of the op that produces a value, for pattern matching in graphs.
// kNone for a region's arguments. No state; any thread.
#pragma once

#include "sluice/graph/node.h"

namespace sluice {

inline Role RoleOf(const Node& node) { return node.op().role; }
inline Role RoleOf(const Value& v) { return v.node->op().role; }

}  // namespace sluice
