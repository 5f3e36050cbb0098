// KeepResults: a conditional or a loop that gives fewer results than it did.
#pragma once

#include <vector>

#include "sluice/graph/batch_edit.h"

namespace sluice {

// Puts a node in the place of `node`, a branch or a loop, that has those of
// its outputs that `keep` says, and for a loop those inputs and arguments.
// The nodes of its regions move to the regions of the new one. REQUIRES: by
// Commit() nothing uses the outputs and arguments that go. Returns the new
// node, whose regions are filled with Commit().
Result<Node*> KeepResults(Graph& graph, BatchEdit& edit, Node& node,
                          const std::vector<bool>& keep);

}  // namespace sluice
