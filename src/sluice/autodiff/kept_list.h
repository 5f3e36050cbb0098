// Values of several types as one list: what a function gives its caller to
// keep. Lists among them, as calls inside it give, stand in it as they are.
//
// The caller holds the graph's lock.
#pragma once

#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// The list of what `values` are in `region`. Nodes are named and placed as
// those of a gradient of `beside`.
Result<Value> KeepInList(Graph& graph, Region& region, const Node& beside,
                         const std::vector<Value>& values);

// What stands in the list that KeepInList made of `values`, in `region`.
Result<std::vector<Value>> ReadKept(Graph& graph, Region& region,
                                    const Node& beside, Value list,
                                    const std::vector<Value>& values);

}  // namespace sluice
