// SplitByTask: a graph whose nodes have tasks becomes one graph for each task,
// tied together by Send and Recv. docs/internals/partition.md has the rules.
//
// Conditionals and loops are cloned into every task that has work in them, and
// each clone is told the predicate, so that both ends of an edge know whether
// and how often it is used: no message says that there is none. The pieces of
// a step run at the same time, in any order, with one Rendezvous between them.
//
// A plain function; the graph must not change meanwhile.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// What one task runs. Its graph stands alone and may be sent as bytes.
struct TaskPiece {
  std::string task;  // "/job:worker/task:0"
  std::unique_ptr<Graph> graph;
  // Which arguments and results of the whole graph are its own, in its order.
  std::vector<int> args, results;
};

struct SplitOptions {
  // The device of a node, "/job:worker/task:0/device:cpu:0"; by itself what the
  // node says. Conditionals and loops are where what is in them is.
  std::function<std::string(const Node&)> device_of = nullptr;
  // For nodes whose device says no task. Empty: such a node is an error.
  std::string default_task;
};

// In order of job and task; only tasks that have something to do. A result is
// made by exactly one of them. Errors, each with the user's line: a node
// without a task, a resource used in two tasks, a function with nodes of two
// tasks, raw primitives with nodes of two tasks.
Result<std::vector<TaskPiece>> SplitByTask(const Graph& graph,
                                           const SplitOptions& options = {});

}  // namespace sluice
