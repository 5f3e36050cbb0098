// The lines under a run-time error: the user's line, the node, its operands.
// Plain functions; any thread.
#pragma once

#include <span>

#include "sluice/graph/node.h"

namespace sluice {

// "[MatMul] ...\n  at model.cc:41 (node "fc1")  a = "x" f32[64,784], ..."
Status AtNode(const Status& status, const Node& node,
              std::span<const Array> inputs);

// Rewords an error of an op that runs in place of a user's node, with the op
// name of that node: "[Case] ..." for "[ChooseBranch] ...".
Status InNameOf(const Status& status, const OpRecord& ran, const Node& node);

}  // namespace sluice
