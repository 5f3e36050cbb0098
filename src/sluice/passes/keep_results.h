// KeepResults: reduces the results of a conditional or a loop. One thread; no
// other sees the graph meanwhile.
#pragma once

#include <vector>

#include "sluice/graph/batch_edit.h"

namespace sluice {

// Replaces `node`, a branch or a loop, by a node with only the outputs for
// which `keep` is true; for a loop, inputs and arguments are reduced likewise.
// The nodes of its regions move to the regions of the new node at Commit().
// REQUIRES: by Commit() nothing uses the removed outputs and arguments. Returns
// the new node.
Result<Node*> KeepResults(Graph& graph, BatchEdit& edit, Node& node,
                          const std::vector<bool>& keep);

}  // namespace sluice
