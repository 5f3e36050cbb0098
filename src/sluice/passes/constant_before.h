// A constant made by a pass: put before a node whose value is known, or before
// a loop whose body holds the constant.
//
// Lifetime: the constant belongs to the graph and is in its place once the edit
// is committed.
#pragma once

#include "sluice/graph/batch_edit.h"

namespace sluice {

// `value` right before `place`, under the name, line and device of `like`.
Result<Value> ConstantBefore(Graph& graph, BatchEdit& edit, Node& place,
                             const Array& value, const Node& like);

}  // namespace sluice
