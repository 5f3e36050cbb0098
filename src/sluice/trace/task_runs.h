// TaskRuns: steps of a captured function that names tasks of a cluster. The
// function's graph runs as one step over them, led by the server this process
// is connected to (session/connected_cluster.h). All state of the function is
// fed and fetched with every step, including tensors outside and random
// numbers. Tasks keep nothing between calls, so a cluster that was lost and
// reconnected has lost no state.
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

  // Errors: no cluster is connected; those of a distributed step.
  Status Run(std::span<const Value> feeds, std::span<const Array> arrays,
             std::span<const Value> fetches, std::span<Node* const> targets,
             const RunOptions& options, ArrayList* results);
  // Which task runs each node of such a step, and why.
  Result<std::string> Explain(std::span<const Value> feeds,
                              std::span<const Array> arrays,
                              std::span<const Value> fetches,
                              std::span<Node* const> targets);
  // The peak memory of such a step in each task.
  Result<MemoryForecast> PlanMemory(std::span<const Value> feeds,
                                    std::span<const Array> arrays,
                                    std::span<const Value> fetches,
                                    std::span<Node* const> targets);

 private:
  // Connects if there is no connection or the cluster has changed.
  Result<std::shared_ptr<RemoteMaster>> Master();
  void Leave(const std::shared_ptr<RemoteMaster>& master);

  Graph& graph_;
  Mutex mu_;
  std::shared_ptr<RemoteMaster> master_ SL_GUARDED_BY(mu_);
  uint64_t connection_ SL_GUARDED_BY(mu_) = 0;
};

// Whether a node of the graph is assigned to a task.
bool IsForTasks(const Graph& graph);

// Error if a function over tasks cannot have this graph: state kept by the
// process, such as queues, would be separate on each task. The error names the
// function, the op and the user's line.
Status CheckNoState(const std::string& function, const Graph& graph);

}  // namespace sluice::front_internal
