// A hostile call made the way a program makes it: as a node of a graph whose
// inputs are fed, planned and run by a session.
#pragma once

#include "sluice/base/worker_pool.h"
#include "sluice/plan/executor_choice.h"
#include "tests/hostile_calls.h"

namespace sluice {

// `shapes_known`: the graph knows the shapes of what is fed; else it learns
// them at the run. Each output of plain data has a reader, with which the op
// may be compiled together. The error is the first one: of building, planning
// or running.
Result<std::vector<Array>> RunInGraph(const OpRecord& op,
                                      const HostileCall& call,
                                      bool shapes_known,
                                      ExecutorChoice executor,
                                      WorkerPool& pool);

}  // namespace sluice
