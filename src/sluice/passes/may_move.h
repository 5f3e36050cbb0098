// Questions that passes over regions ask about a node before they drop it or
// move it to a place that runs more or less often. Plain functions over a graph
// that nobody changes meanwhile.
#pragma once

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// True when somebody could tell that the node, or anything inside it, did not
// run: state, output, waiting, structure asked for by name. A call has the
// effects of its function, which has none of its own.
bool HasEffect(const Node& node);

// True when running the node twice, early or in vain changes nothing but time:
// it is pure and, with the sizes known here, no elements it could be given
// make it fail. What is moved out of a loop that may run zero times, or into a
// branch that may not be taken, must be so; else an error would come or go.
bool CannotFail(const Node& node);
// The same of all nodes of a region; of the nodes in it that own regions or
// call functions, of all that may happen inside.
bool CannotFail(const Region& region);

// True when a node in it, or in what it calls, draws random numbers: these
// depend on the loop and the call they are in.
bool DrawsNumbers(const Region& region);

}  // namespace sluice
