// MemoryOverTasks: the peak memory of a step in each of its tasks, before it
// runs (plan/memory_forecast.h). The client computes it, because it has the
// graph: every node gets the device of its task, a transfer between tasks
// counts as a copy, and the result is forecast like a step over several
// devices. If a task would choose among its own devices, its first CPU is
// assumed.
//
// A plain function; any thread.
#pragma once

#include <string>

#include "sluice/graph/graph.h"
#include "sluice/plan/memory_forecast.h"

namespace sluice::cluster {

// `graph`: pruned, with the known shapes of the feeds; it is modified.
// `default_task`: for nodes that name none, and for feeds and results. Errors:
// those of the passes, and invalid device names.
Result<MemoryForecast> MemoryOverTasks(Graph& graph,
                                       const std::string& default_task);

}  // namespace sluice::cluster
