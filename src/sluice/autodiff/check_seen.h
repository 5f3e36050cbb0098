// Checks that values are visible where their gradients are asked for: a value
// inside a loop, conditional or function is not visible outside.
#pragma once

#include <span>

#include "sluice/base/status.h"
#include "sluice/graph/node.h"

namespace sluice {

// Error: one of the ys or xs is inside a region that does not enclose `here`;
// it names the region and what to do. The caller holds the graph's lock.
Status CheckSeen(const Region& here, std::span<const Value> ys,
                 std::span<const Value> xs);

}  // namespace sluice
