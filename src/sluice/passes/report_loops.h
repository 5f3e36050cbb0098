// ReportLoops: makes every loop of a graph report its iteration count, and the
// bytes it keeps for its gradient, to a LoopLog fed as an additional argument.
// Loops added by gradients are not reported; their recomputation counts for the
// original loop. Not part of the pipeline: only for runs that request it. One
// thread; no other sees the graph meanwhile.
#pragma once

#include "sluice/graph/graph.h"

namespace sluice {

Status ReportLoops(Graph& graph);

}  // namespace sluice
