// Nodes that name no device run where their operands are, as imperative calls
// do: what is fed from a device's memory pulls along what is made of it.
//
// A plain function, for a graph nobody else sees.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"

namespace sluice {

// `args`: where the graph's arguments lie, by device name; empty: not known.
// Nodes whose operands are all on `host`, or not known, keep no wish. Error:
// operands that are fed from two devices, with the node's line.
Status FollowOperands(Graph& graph, const std::vector<std::string>& args,
                      const std::string& host);

}  // namespace sluice
