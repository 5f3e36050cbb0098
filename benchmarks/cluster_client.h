// What benchmarks over processes share: clusters of this machine, sessions with
// them, a loop.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/cluster/local_cluster.h"
#include "sluice/cluster/remote_session.h"
#include "sluice/graph/text_parser.h"

namespace sluice::bench {

using Results = Result<std::vector<Array>>;

// A cluster and a session of a graph with it.
struct Client {
  Client(cluster::LocalCluster& its, const std::string& text)
      : graph(ValueOrThrow(ParseGraph(text))) {
    cluster::TransportOptions options;
    options.max_message_bytes = int64_t{1} << 30;
    master = ValueOrThrow(
        cluster::RemoteSession::Connect(*graph, its.target(), 0, options));
  }
  Results Run(const std::vector<Array>& args = {}) {
    const Region& root = graph->root();
    FeedList feeds;
    for (size_t i = 0; i < args.size(); ++i) {
      feeds.emplace_back(root.arg(static_cast<int>(i)), args[i]);
    }
    return master->Run(root.results(), feeds, root.targets(), {});
  }
  std::unique_ptr<Graph> graph;
  std::unique_ptr<RemoteMaster> master;
};

inline std::unique_ptr<cluster::LocalCluster> Start(
    int tasks, std::vector<std::string> arguments = {}) {
  cluster::LocalClusterOptions options;
  options.die_with_thread = true;
  options.arguments = std::move(arguments);
  return ValueOrThrow(cluster::LocalCluster::Start(tasks, options));
}

inline std::string Task(int n) {
  return StrCat("\"/job:worker/task:", n, "\"");
}

// The count in the first task, a sum in the last.
inline std::string LoopText(int parallel, int tasks) {
  std::string text = StrCat(
      "graph g(%n: i64[]) -> (%s) {\n"
      "  %zero = Const [value = 0 : i64[]]\n"
      "  %one = Const [value = 0 : f32[]]\n"
      "  %i, %y, %s = While(%zero, %one, %one) [dtypes = {i64, f32, f32}, "
      "parallel = ",
      parallel, "] {\n");
  StrAppend(text, "    cond(%i: i64[], %y: f32[], %s: f32[]) {\n",
            "      %c = NotEqual(%i, %n) on ", Task(0), "\n      yield %c\n",
            "    }\n    body(%i: i64[], %y: f32[], %s: f32[]) {\n",
            "      %j = Add(%i, 1) on ", Task(0), "\n      %z = Add(%y, 1) on ",
            Task(tasks - 1), "\n      %t = Add(%s, %z) on ", Task(0),
            "\n      yield %j, %z, %t\n    }\n  }\n}");
  return text;
}

}  // namespace sluice::bench
