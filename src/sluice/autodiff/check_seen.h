// Whether values that gradients are asked of are seen where they are asked:
// what is inside a loop, conditional or function is not seen outside of it.
#pragma once

#include <span>

#include "sluice/base/status.h"
#include "sluice/graph/node.h"

namespace sluice {

// Error: one of the ys or xs is inside a region that `here` is not in; it says
// which, and what to do. The caller holds the graph's lock.
Status CheckSeen(const Region& here, std::span<const Value> ys,
                 std::span<const Value> xs);

}  // namespace sluice
