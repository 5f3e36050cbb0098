// RaiseBranches: turns diamonds of Switch and Merge on one predicate into If.
// One thread; no other sees the graph meanwhile.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/batch_edit.h"
#include "sluice/passes/raw_region.h"

namespace sluice {

// Raises the diamonds that contain no other primitives: inner ones first,
// enclosing ones in the next iteration. It leaves alone: values of one branch
// that are used in the other branch, or outside without a Merge; a Merge whose
// inputs are not one from each branch, or whose index is used; nodes that would
// have to move across effects. A valid graph causes no error.
Status RaiseBranches(Graph& graph, BatchEdit& edit, const RawRegion& raw,
                     std::vector<std::string>* notes);

}  // namespace sluice
