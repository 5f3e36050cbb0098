// A hostile call made the way a program makes it: as a node of a graph whose
// inputs are fed, planned and run by a session.
#pragma once

#include "sluice/base/worker_pool.h"
#include "tests/hostile_calls.h"

namespace sluice {

// `shapes_known`: the graph knows the shapes of what is fed; else it learns
// them at the run. The error is the first one: of building, planning or
// running.
Result<std::vector<Array>> RunInGraph(const OpRecord& op,
                                      const HostileCall& call,
                                      bool shapes_known, WorkerPool& pool);

}  // namespace sluice
