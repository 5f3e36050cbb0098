// The role of the op that makes a value: what patterns in graphs are matched
// by. That of a region's arguments is kNone. No state; any thread.
#pragma once

#include "sluice/graph/node.h"

namespace sluice {

inline Role RoleOf(const Node& node) { return node.op().role; }
inline Role RoleOf(const Value& v) { return v.node->op().role; }

}  // namespace sluice
