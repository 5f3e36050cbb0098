// AssignTasks: chooses a task for every node of a graph, for SplitByTask. A
// node's own task comes first; users of a variable, a queue or another resource
// run where the resource is; all others run in the default task.
#pragma once

#include <string>

#include "sluice/graph/graph.h"
#include "sluice/partition/split_by_task.h"

namespace sluice::cluster {

// Reads the graph once; the options are valid while it is unchanged.
SplitOptions AssignTasks(Graph& graph, const std::string& default_task);

}  // namespace sluice::cluster
