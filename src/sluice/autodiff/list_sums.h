// Sums of gradients of lists. A part that is a few elements, as the gradient of
// a read is, is added to the sum where that lies: a loop that reads one element
// per iteration costs one element per iteration backwards, not the whole list.
//
// The caller holds the graph's lock.
#pragma once

#include <span>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// sum + part, both gradients of lists seen in `region`.
Result<Value> AddListGradient(Graph& graph, Region& region, Value sum,
                              Value part);

// The sum of some, at least one.
Result<Value> SumListGradients(Graph& graph, Region& region,
                               std::span<const Value> parts);

}  // namespace sluice
