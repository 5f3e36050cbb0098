// Clusters of real processes for tests, and clients for them.
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

// The processes end when this process does, in whatever way.
std::unique_ptr<LocalCluster> StartCluster(
    int tasks, std::vector<std::string> arguments = {});

// A session with a graph. Task n is "/job:worker/task:n".
class Client {
 public:
  // Copies the graph. master: the task that leads.
  Client(const Graph& graph, const LocalCluster& cluster, int master = 0,
         uint64_t seed = 0);
  Client(const std::string& text, const LocalCluster& cluster, int master = 0);
  // All results of the graph for the given arguments.
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

// The status that a task reports.
StatusReply StatusOf(const LocalCluster& cluster, int task);
int64_t GaugeOf(const LocalCluster& cluster, int task, const std::string& name);

// Waits until no running task has a session, step, message or waiting call
// left. Reports what is left if that takes too long.
void ExpectNothingLeft(const LocalCluster& cluster,
                       const std::vector<int>& tasks);
// The same, except for open sessions and what they have registered.
void ExpectNoStepLeft(const LocalCluster& cluster,
                      const std::vector<int>& tasks);
// Waits until the gauge has at least that value.
void WaitForGauge(const LocalCluster& cluster, int task,
                  const std::string& name, int64_t value);

}  // namespace sluice::cluster
