#include "sluice/cluster/cluster_test_util.h"

#include <unistd.h>

#include "sluice/base/clock.h"
#include "sluice/base/strings.h"
#include "sluice/cluster/remote_session.h"
#include "sluice/step/executor_test_util.h"

namespace sluice::cluster {

std::unique_ptr<LocalCluster> StartCluster(int tasks,
                                           std::vector<std::string> arguments) {
  LocalClusterOptions options;
  options.die_with_thread = true;
  options.arguments = std::move(arguments);
  options.show_errors = true;
  Result<std::unique_ptr<LocalCluster>> cluster =
      LocalCluster::Start(tasks, options);
  EXPECT_TRUE(cluster.ok()) << cluster.status().ToString();
  return cluster.ok() ? *std::move(cluster) : nullptr;
}

Client::Client(const Graph& graph, const LocalCluster& cluster, int master,
               uint64_t seed)
    : graph_(graph.Clone()) {
  Result<std::unique_ptr<RemoteMaster>> made =
      RemoteSession::Connect(*graph_, cluster.target(master), seed);
  EXPECT_TRUE(made.ok()) << made.status().ToString();
  if (made.ok()) master_ = *std::move(made);
}

Client::Client(const std::string& text, const LocalCluster& cluster, int master)
    : Client(*MustParse(text), cluster, master) {}

Result<std::vector<Array>> Client::Run(const std::vector<Array>& args,
                                       const RunOptions& options,
                                       RunMetadata* metadata) {
  if (!master_) return Internal("there is no session");
  const Region& root = graph_->root();
  FeedList feeds;
  for (size_t i = 0; i < args.size(); ++i) {
    feeds.emplace_back(root.arg(static_cast<int>(i)), args[i]);
  }
  return master_->Run(root.results(), feeds, root.targets(), options, metadata);
}

StatusReply StatusOf(const LocalCluster& cluster, int task) {
  Result<StatusReply> reply = AskStatus(cluster.address(task));
  EXPECT_TRUE(reply.ok()) << reply.status().ToString();
  return reply.ok() ? *std::move(reply) : StatusReply();
}

int64_t GaugeOf(const LocalCluster& cluster, int task,
                const std::string& name) {
  for (const Gauge& gauge : StatusOf(cluster, task).gauges) {
    if (gauge.name == name) return gauge.value;
  }
  ADD_FAILURE() << "there is no gauge " << name;
  return -1;
}

namespace {

bool IsCount(const std::string& name) {
  return name.find("_total") == std::string::npos;
}

bool IsKept(const std::string& name) {
  return name.find("_sessions") != std::string::npos ||
         name == "worker_pieces" || name == "master_prepared";
}

// Long enough for a busy machine; a wait that times out fails the test.
constexpr int64_t kPatienceNanos = 120'000'000'000;

}  // namespace

namespace {

void ExpectZeros(const LocalCluster& cluster, const std::vector<int>& tasks,
                 bool sessions) {
  for (int task : tasks) {
    std::string left;
    const int64_t end = NowNanos() + kPatienceNanos;
    do {
      left.clear();
      for (const Gauge& gauge : StatusOf(cluster, task).gauges) {
        if (!IsCount(gauge.name) || gauge.value == 0) continue;
        if (sessions && IsKept(gauge.name)) continue;
        StrAppend(left, " ", gauge.name, "=", gauge.value);
      }
      if (left.empty()) break;
      usleep(2000);
    } while (NowNanos() < end);
    EXPECT_EQ(left, "") << "in task " << task;
  }
}

}  // namespace

void ExpectNothingLeft(const LocalCluster& cluster,
                       const std::vector<int>& tasks) {
  ExpectZeros(cluster, tasks, false);
}

void ExpectNoStepLeft(const LocalCluster& cluster,
                      const std::vector<int>& tasks) {
  ExpectZeros(cluster, tasks, true);
}

void WaitForGauge(const LocalCluster& cluster, int task,
                  const std::string& name, int64_t value) {
  const int64_t end = NowNanos() + kPatienceNanos;
  while (GaugeOf(cluster, task, name) < value) {
    if (NowNanos() > end) {
      ADD_FAILURE() << name << " of task " << task << " stays below " << value;
      return;
    }
    usleep(1000);
  }
}

}  // namespace sluice::cluster
