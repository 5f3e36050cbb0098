// Runs one graph under every executor, for tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/op/resource.h"
#include "sluice/plan/plan.h"
#include "sluice/step/step_stats.h"

namespace sluice {

// Runs a copy of `graph` on a plan for executor `choice`; `pool` may be null.
Result<std::vector<Array>> RunOnPlan(const Graph& graph,
                                     const std::vector<Array>& args,
                                     ExecutorChoice choice, WorkerPool* pool,
                                     ResourceManager* resources = nullptr,
                                     StepStats* stats = nullptr);

// Runs the graph under the reference interpreter, tokens and tape, with and
// without fusion, on one and two threads. All must agree to the bit. Returns
// the common result.
std::vector<Array> ExpectAllAgree(const Graph& graph,
                                  const std::vector<Array>& args);

// REQUIRES: the text parses.
std::unique_ptr<Graph> MustParse(const std::string& text);

}  // namespace sluice
