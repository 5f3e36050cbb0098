// A description of a graph that is split by task: for each task its nodes, why
// they are there, and which messages it sends to which task, with the bytes
// where shapes are known.
//
// A plain function.
#pragma once

#include <string>
#include <vector>

#include "sluice/partition/split_by_task.h"

namespace sluice::cluster {

// One text for each piece; `whole` was split by these options.
std::vector<std::string> ExplainPieces(const Graph& whole,
                                       const SplitOptions& options,
                                       const std::vector<TaskPiece>& pieces);

}  // namespace sluice::cluster
