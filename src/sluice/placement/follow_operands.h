// Places nodes that name no device where their operands are, as imperative
// calls do. Values fed from the memory of a device determine the device of what
// is computed from them.
//
// A plain function, for a graph that no other thread sees.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"

namespace sluice {

// `args`: the device name of each argument of the graph; empty: unknown. Nodes
// whose operands are all on `host`, or unknown, keep an empty wish. Error:
// operands fed from two devices, with the node's line.
Status FollowOperands(Graph& graph, const std::vector<std::string>& args,
                      const std::string& host);

}  // namespace sluice
