// Creates a constant for a pass: before a node whose value is known, or before
// a loop whose body contains the constant.
//
// The constant belongs to the graph and is in place after the edit is
// committed. Used by the thread that runs the pass.
#pragma once

#include "sluice/graph/batch_edit.h"

namespace sluice {

// Puts `value` right before `place`, with the name, line and device of `like`.
Result<Value> ConstantBefore(Graph& graph, BatchEdit& edit, Node& place,
                             const Array& value, const Node& like);

}  // namespace sluice
