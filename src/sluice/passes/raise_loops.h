// RaiseLoops: frames of the regular form become While.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/batch_edit.h"
#include "sluice/passes/raw_region.h"

namespace sluice {

// Raises the frames that hold no primitives but their own: inner ones first,
// the ones around them in the next round. Regular: one LoopCond, which only
// Switches read; every value that changes goes Enter, Merge, Switch, body,
// NextIteration, and leaves by Exits of what the Switch gives when the loop
// ends; others enter as constants. All else is left alone. Error: none that
// the graph can cause.
Status RaiseLoops(Graph& graph, BatchEdit& edit, const RawRegion& raw,
                  std::vector<std::string>* notes);

}  // namespace sluice
