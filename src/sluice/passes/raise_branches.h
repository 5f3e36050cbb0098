// RaiseBranches: diamonds of Switch and Merge on one predicate become If.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/batch_edit.h"
#include "sluice/passes/raw_region.h"

namespace sluice {

// Raises the diamonds that hold no primitives of their own: inner ones first,
// the ones around them in the next round. Left alone: values of one branch
// that are used in the other or outside without a Merge, a Merge of other
// inputs than one of each branch, or whose index is used, and what would have
// to change its place among effects. Error: none that the graph can cause.
Status RaiseBranches(Graph& graph, BatchEdit& edit, const RawRegion& raw,
                     std::vector<std::string>* notes);

}  // namespace sluice
