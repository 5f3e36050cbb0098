// The lines under a run-time error: the user's line, the node, its operands.
#pragma once

#include <span>

#include "sluice/graph/node.h"

namespace sluice {

// "[MatMul] ...\n  at model.cc:41 (node "fc1")  a = "x" f32[64,784], ..."
Status AtNode(const Status& status, const Node& node,
              std::span<const Array> inputs);

// An error of an op that runs in place of a node of the user's graph, in the
// name of that node's op: "[Case] ..." for "[ChooseBranch] ...".
Status InNameOf(const Status& status, const OpRecord& ran, const Node& node);

}  // namespace sluice
