// Describes a graph that is split by task: for each task its nodes, the reason
// for their placement, and the messages it sends to each other task, with bytes
// where shapes are known.
//
// A plain function.
#pragma once

#include <string>
#include <vector>

#include "sluice/partition/split_by_task.h"

namespace sluice::cluster {

// One text per piece; `whole` was split with these options.
std::vector<std::string> ExplainPieces(const Graph& whole,
                                       const SplitOptions& options,
                                       const std::vector<TaskPiece>& pieces);

}  // namespace sluice::cluster
