// Clusters of real processes for tests, and clients of them.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "sluice/cluster/local_cluster.h"
#include "sluice/cluster/messages.h"
#include "sluice/graph/graph.h"
#include "sluice/session/remote_master.h"

namespace sluice::cluster {

// Dies with this process, however that ends.
std::unique_ptr<LocalCluster> StartCluster(
    int tasks, std::vector<std::string> arguments = {});

// A graph and a session with it. Task n is "/job:worker/task:n".
class Client {
 public:
  // A copy of the graph is taken. master: which task leads.
  Client(const Graph& graph, const LocalCluster& cluster, int master = 0,
         uint64_t seed = 0);
  Client(const std::string& text, const LocalCluster& cluster, int master = 0);
  // All results of the graph, for its arguments.
  Result<std::vector<Array>> Run(const std::vector<Array>& args,
                                 const RunOptions& options = {},
                                 RunMetadata* metadata = nullptr);
  Graph& graph() { return *graph_; }
  RemoteMaster* master() { return master_.get(); }
  void Close() { master_ = nullptr; }

 private:
  std::unique_ptr<Graph> graph_;
  std::unique_ptr<RemoteMaster> master_;
};

// What a task says of itself.
StatusReply StatusOf(const LocalCluster& cluster, int task);
int64_t GaugeOf(const LocalCluster& cluster, int task, const std::string& name);

// Waits until nothing is left in any task that runs: no session, step,
// message, waiting call. Says what is left when that takes too long.
void ExpectNothingLeft(const LocalCluster& cluster,
                       const std::vector<int>& tasks);
// The same with sessions that are open, and what they have registered.
void ExpectNoStepLeft(const LocalCluster& cluster,
                      const std::vector<int>& tasks);
// Waits until the gauge has at least that value.
void WaitForGauge(const LocalCluster& cluster, int task,
                  const std::string& name, int64_t value);

}  // namespace sluice::cluster
