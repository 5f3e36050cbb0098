// RemoteMaster: the interface of a session to a master in another process. The
// code that can reach one (cluster/) registers itself here; the layers below do
// not depend on it.
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
  // Errors: as those of TaskMaster; kUnavailable and kAborted if a task or the
  // master is gone. Of `options`, `loops` is refused. A trace covers all tasks;
  // its stats are empty.
  virtual Result<std::vector<Array>> Run(std::span<const Value> fetches,
                                         const FeedList& feeds,
                                         std::span<Node* const> targets,
                                         const RunOptions& options,
                                         RunMetadata* metadata = nullptr) = 0;
  // Does everything that can be done ahead of a run, without running.
  virtual Status Prepare(std::span<const Value> feeds,
                         std::span<const Value> fetches,
                         std::span<Node* const> targets,
                         ExecutorChoice executor) = 0;
  // A step in several calls: session/partial_run.h.
  virtual Result<std::unique_ptr<PartialRun>> Partial(
      std::span<const Value> feeds, std::span<const Value> fetches,
      std::span<Node* const> targets) = 0;
  // Explains which node runs in which task and why, the messages between tasks,
  // and how each task runs its part.
  virtual Result<std::string> Explain(std::span<const Value> fetches,
                                      const FeedList& feeds,
                                      std::span<Node* const> targets,
                                      ExecutorChoice executor) = 0;
  // Forecasts the peak memory of a run in each task; the device names tell the
  // task.
  virtual Result<MemoryForecast> PlanMemory(std::span<const Value> fetches,
                                            const FeedList& feeds,
                                            std::span<Node* const> targets) = 0;
  virtual void Close() = 0;
  // Resets this container in all tasks of the cluster.
  virtual Status Reset(const std::string& container) = 0;
  virtual RandomState random_state() const = 0;
  virtual void set_random_state(const RandomState& state) = 0;
};

// Connects to "grpc://host:port". The graph must outlive the master.
using ConnectMaster = Result<std::unique_ptr<RemoteMaster>> (*)(
    Graph& graph, const std::string& target, uint64_t seed);
bool SetConnectMaster(ConnectMaster connect);
// Error: this program was built without the cluster part.
Result<std::unique_ptr<RemoteMaster>> ConnectToMaster(Graph& graph,
                                                      const std::string& target,
                                                      uint64_t seed);

}  // namespace sluice
