// TaskRuns: steps of a captured function that names tasks of a cluster. The
// function's graph is run as one step over them, led by the server this process
// is connected to (session/connected_cluster.h). All that the function knows of
// is fed and comes back with every step, tensors around it and random numbers
// included, so that tasks keep nothing between calls, and a cluster that was
// lost and found again has lost nothing.
//
// Thread safe. The graph must outlive it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/session/local_master.h"
#include "sluice/session/remote_master.h"

namespace sluice::front_internal {

class TaskRuns {
 public:
  explicit TaskRuns(Graph& graph) : graph_(graph) {}

  // Errors: no cluster is connected; those of a step over tasks.
  Status Run(std::span<const Value> feeds, std::span<const Array> arrays,
             std::span<const Value> fetches, std::span<Node* const> targets,
             const RunOptions& options, ArrayList* results);
  // Which node such a step runs in which task, and why.
  Result<std::string> Explain(std::span<const Value> feeds,
                              std::span<const Array> arrays,
                              std::span<const Value> fetches,
                              std::span<Node* const> targets);
  // What such a step has live at most in each task.
  Result<MemoryForecast> PlanMemory(std::span<const Value> feeds,
                                    std::span<const Array> arrays,
                                    std::span<const Value> fetches,
                                    std::span<Node* const> targets);

 private:
  // Connects, where it is not, or is with another cluster.
  Result<std::shared_ptr<RemoteMaster>> Master();
  void Leave(const std::shared_ptr<RemoteMaster>& master);

  Graph& graph_;
  Mutex mu_;
  std::shared_ptr<RemoteMaster> master_ SL_GUARDED_BY(mu_);
  uint64_t connection_ SL_GUARDED_BY(mu_) = 0;
};

// Whether a node of it is for a task.
bool IsForTasks(const Graph& graph);

// Whether a function over tasks can have this graph: state that is kept by the
// process, queues say, would be another on each task. The error names the
// function, the op and the user's line.
Status CheckNoState(const std::string& function, const Graph& graph);

}  // namespace sluice::front_internal
