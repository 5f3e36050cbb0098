// RemoteMaster: what a session asks of a master that is not in this process.
// The part of the program that knows how to reach one (cluster/) says so here;
// nothing below it needs to know how.
//
// Thread safe: any number of steps at once, while the graph grows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/plan/memory_forecast.h"
#include "sluice/session/run_options.h"

namespace sluice {

class PartialRun;

class RemoteMaster {
 public:
  virtual ~RemoteMaster() = default;
  // Errors: as those of TaskMaster; kUnavailable and kAborted when a task or
  // the master is gone. Of `options`, loops is refused; a trace is that of all
  // tasks, and its stats are empty.
  virtual Result<std::vector<Array>> Run(std::span<const Value> fetches,
                                         const FeedList& feeds,
                                         std::span<Node* const> targets,
                                         const RunOptions& options,
                                         RunMetadata* metadata = nullptr) = 0;
  // Runs nothing, but does all that can be done before.
  virtual Status Prepare(std::span<const Value> feeds,
                         std::span<const Value> fetches,
                         std::span<Node* const> targets,
                         ExecutorChoice executor) = 0;
  // A step in parts: session/partial_run.h.
  virtual Result<std::unique_ptr<PartialRun>> Partial(
      std::span<const Value> feeds, std::span<const Value> fetches,
      std::span<Node* const> targets) = 0;
  // Which node runs in which task and why, what they send each other, and how
  // each task runs its part.
  virtual Result<std::string> Explain(std::span<const Value> fetches,
                                      const FeedList& feeds,
                                      std::span<Node* const> targets,
                                      ExecutorChoice executor) = 0;
  // What a run has live at most, in each task: its devices' names say which.
  virtual Result<MemoryForecast> PlanMemory(std::span<const Value> fetches,
                                            const FeedList& feeds,
                                            std::span<Node* const> targets) = 0;
  virtual void Close() = 0;
  // Of all tasks of the cluster.
  virtual Status Reset(const std::string& container) = 0;
  virtual RandomState random_state() const = 0;
  virtual void set_random_state(const RandomState& state) = 0;
};

// Connects to "grpc://host:port". The graph must outlive the master.
using ConnectMaster = Result<std::unique_ptr<RemoteMaster>> (*)(
    Graph& graph, const std::string& target, uint64_t seed);
bool SetConnectMaster(ConnectMaster connect);
// Error: this program has no cluster part.
Result<std::unique_ptr<RemoteMaster>> ConnectToMaster(Graph& graph,
                                                      const std::string& target,
                                                      uint64_t seed);

}  // namespace sluice
