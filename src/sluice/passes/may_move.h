// Decides whether a pass may drop a node or move it to a place that runs more
// or less often. Plain functions; the graph must not change during a call.
#pragma once

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// Whether it is observable that the node, or anything inside it, did not run:
// state, output, waiting, structure requested by name. A call has the effects
// of its function; a function itself has none.
bool HasEffect(const Node& node);

// Whether running the node twice, early or in vain costs only time: it is pure
// and, with the sizes known here, no input elements can make it fail. This is
// required for moving a node out of a loop that may run zero times or into a
// branch that may not be taken; otherwise an error would appear or vanish.
bool CannotFail(const Node& node);
// The same for all nodes of a region, including everything inside nested
// regions and called functions.
bool CannotFail(const Region& region);

// Whether a node in the region, or in a called function, draws random numbers;
// these depend on the enclosing loop and call.
bool DrawsNumbers(const Region& region);

}  // namespace sluice
