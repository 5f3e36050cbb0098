// Packs values of several types into one list: what a function returns to its
// caller to keep. Lists among them, such as those of nested calls, are stored
// as they are.
//
// The caller holds the graph's lock.
#pragma once

#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// The list of `values` in `region`. Its nodes are named and placed like those
// of a gradient of `beside`.
Result<Value> KeepInList(Graph& graph, Region& region, const Node& beside,
                         const std::vector<Value>& values);

// Unpacks, in `region`, the list that KeepInList made of `values`.
Result<std::vector<Value>> ReadKept(Graph& graph, Region& region,
                                    const Node& beside, Value list,
                                    const std::vector<Value>& values);

}  // namespace sluice
