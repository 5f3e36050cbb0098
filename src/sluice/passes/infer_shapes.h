// Runs every shape function again, in program order and with known constants,
// and adds the results to the known shapes. After the shapes of feeds become
// known, this propagates them through the graph. One thread; no other sees the
// graph meanwhile.
#pragma once

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// Error: contradicting shapes, with the node's line. Sizes that an EnsureShape
// in a branch refuses are no error, because the branch may not be taken. Other
// errors inside a branch or a loop set `in_region`: they concern only steps
// that get there.
Result<bool> RefineShapes(Graph& graph, bool* in_region = nullptr);

}  // namespace sluice
