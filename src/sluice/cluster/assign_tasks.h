// AssignTasks: a task for every node of a graph, for SplitByTask. What a node
// names counts; what uses a variable, a queue or another resource is where that
// is; everything else is in the default task.
#pragma once

#include <string>

#include "sluice/graph/graph.h"
#include "sluice/partition/split_by_task.h"

namespace sluice::cluster {

// Looks at the graph once; the options hold for it as it is then.
SplitOptions AssignTasks(Graph& graph, const std::string& default_task);

}  // namespace sluice::cluster
