// CarryMore: a loop that comes to carry one more value. What it computes stays
// what it was.
//
// The caller holds the graph's lock.
#pragma once

#include <string_view>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// The number of the new carried value, which begins as `start` and is of
// `type`; the body's result for it is to be set next, in this order.
Result<int> CarryMore(Graph& graph, Node& loop, Value start, ValueType type,
                      std::string_view name);
// What the body gives for a carried value.
void SetNext(Graph& graph, Node& loop, int carried, Value next);

}  // namespace sluice
