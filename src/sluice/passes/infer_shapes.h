// Runs every shape function again, in program order and with constants known,
// and adds what comes out to what is known already. After the shapes of fed
// arguments have become known, this makes the rest of the graph know too.
#pragma once

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// Error: shapes that contradict each other, with the node's line. Sizes that an
// EnsureShape in a branch refuses are none: the branch may not be taken. Other
// errors inside a branch or a loop set `in_region`: they are errors only of
// steps that come there.
Result<bool> RefineShapes(Graph& graph, bool* in_region = nullptr);

}  // namespace sluice
