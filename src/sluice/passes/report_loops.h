// ReportLoops: makes every loop of a graph say how often it runs and what it
// keeps for its gradient, to a LoopLog fed as one more argument. Loops that
// gradients added are not reported, but what they run again is, for the loop it
// belongs to. Not part of the pipeline: only for runs that ask.
#pragma once

#include "sluice/graph/graph.h"

namespace sluice {

Status ReportLoops(Graph& graph);

}  // namespace sluice
