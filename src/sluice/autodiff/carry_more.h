// CarryMore: adds one more value to those that a loop carries. Its results do
// not change.
//
// The caller holds the graph's lock.
#pragma once

#include <string_view>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// Returns the index of the new carried value, which starts as `start` and has
// type `type`. The caller must then set the body's results for new values, in
// the same order.
Result<int> CarryMore(Graph& graph, Node& loop, Value start, ValueType type,
                      std::string_view name);
// Sets the body's result for a carried value.
void SetNext(Graph& graph, Node& loop, int carried, Value next);

}  // namespace sluice
