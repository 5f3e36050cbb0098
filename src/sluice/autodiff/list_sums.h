// Sums of gradients of lists. A part with few elements, such as the gradient of
// a read, is added to the sum in place: a loop that reads one element per
// iteration costs one element per backward iteration, not the whole list.
//
// The caller holds the graph's lock.
#pragma once

#include <span>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// sum + part, both gradients of lists visible in `region`.
Result<Value> AddListGradient(Graph& graph, Region& region, Value sum,
                              Value part);

// The sum of at least one gradient.
Result<Value> SumListGradients(Graph& graph, Region& region,
                               std::span<const Value> parts);

}  // namespace sluice
