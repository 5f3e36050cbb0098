// SplitByTask: splits a graph whose nodes have tasks into one graph per task,
// connected by Send and Recv. docs/internals/partition.md has the rules.
//
// Conditionals and loops are cloned into every task that has work inside them.
// Each clone receives the predicate, so both ends of an edge know whether and
// how often it is used, and no message is needed to say that there is none. The
// pieces of a step run concurrently, in any order, and share one Rendezvous.
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

// The part that one task runs. Its graph is self-contained and can be
// serialized.
struct TaskPiece {
  std::string task;  // "/job:worker/task:0"
  std::unique_ptr<Graph> graph;
  // Its arguments and results as indices into those of the whole graph, in that
  // order.
  std::vector<int> args, results;
};

struct SplitOptions {
  // The device of a node, such as "/job:worker/task:0/device:cpu:0"; by default
  // the device that the node names. The place of a conditional or loop is that
  // of its contents.
  std::function<std::string(const Node&)> device_of = nullptr;
  // For nodes whose device names no task. Empty: such a node is an error.
  std::string default_task;
};

// Pieces in order of job and task, only for tasks with work. Each result is
// produced by exactly one task. Errors, each with the user's line: a node
// without a task, a resource used in two tasks, a function with nodes of two
// tasks, raw primitives with nodes of two tasks.
Result<std::vector<TaskPiece>> SplitByTask(const Graph& graph,
                                           const SplitOptions& options = {});

}  // namespace sluice
