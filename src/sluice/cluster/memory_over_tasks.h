// MemoryOverTasks: what a step over tasks has live at most in each of them,
// before it runs (plan/memory_forecast.h). Found by the client, who has the
// graph: every node is given the device of its task, what goes from task to
// task is a copy there, and the whole is forecast as a step of several devices
// is. Where a task would choose among devices of its own, its first CPU counts.
//
// A plain function; any thread.
#pragma once

#include <string>

#include "sluice/graph/graph.h"
#include "sluice/plan/memory_forecast.h"

namespace sluice::cluster {

// `graph`: pruned, with what is known of the feeds' shapes; it is changed.
// `default_task`: of nodes that name none, and where feeds and results pass.
// Errors: those of the passes, and devices whose names are none.
Result<MemoryForecast> MemoryOverTasks(Graph& graph,
                                       const std::string& default_task);

}  // namespace sluice::cluster
