#include "sluice/trace/task_runs.h"

#include "sluice/base/strings.h"
#include "sluice/device/names_task.h"
#include "sluice/session/connected_cluster.h"

namespace sluice::front_internal {

namespace {

// The first node in a region or a nested one that satisfies `is`; null: none.
template <class F>
const Node* FirstOf(const Region& region, const F& is) {
  for (const Node* node : region.nodes()) {
    if (is(*node)) return node;
    for (const auto& inner : node->regions()) {
      if (const Node* found = FirstOf(*inner, is)) return found;
    }
  }
  return nullptr;
}

// State is kept between steps by the process that runs them.
bool UsesState(const Node& node) {
  if (node.op().handle) return true;
  for (const Value& in : node.inputs()) {
    if (in.dtype() == DType::kResource) return true;
  }
  return false;
}

FeedList Fed(std::span<const Value> feeds, std::span<const Array> arrays) {
  FeedList list;
  for (size_t i = 0; i < feeds.size(); ++i) {
    list.emplace_back(feeds[i], arrays[i]);
  }
  return list;
}

}  // namespace

bool IsForTasks(const Graph& graph) {
  return FirstOf(graph.root(),
                 [](const Node& node) { return NamesTask(node.device()); });
}

Status CheckNoState(const std::string& function, const Graph& graph) {
  const Node* node = FirstOf(graph.root(), UsesState);
  if (!node) return OkStatus();
  return Unimplemented(StrCat("[", node->op().name, "] the captured function ",
                              function,
                              " names tasks of a cluster and uses a queue, a "
                              "table or other state that this process keeps; "
                              "wanted tensors and variables alone, or a graph "
                              "and a session with a target"))
      .WithLine(StrCat("at ", node->line()));
}

Result<std::shared_ptr<RemoteMaster>> TaskRuns::Master() {
  ConnectedCluster cluster = CurrentCluster();
  if (cluster.number == 0) {
    return FailedPrecondition(
        "the function names tasks, and no cluster is connected; wanted a "
        "connection to one while the function is called");
  }
  std::shared_ptr<RemoteMaster> old;  // destroyed after the lock is released
  MutexLock lock(mu_);
  if (!master_ || connection_ != cluster.number) {
    old = std::move(master_);
    SL_ASSIGN_OR_RETURN(master_, ConnectToMaster(graph_, cluster.target, 0));
    connection_ = cluster.number;
  }
  return master_;
}

// Other runs with it keep it alive until they end.
void TaskRuns::Leave(const std::shared_ptr<RemoteMaster>& master) {
  std::shared_ptr<RemoteMaster> old;
  MutexLock lock(mu_);
  if (master_ == master) old = std::move(master_);
}

Status TaskRuns::Run(std::span<const Value> feeds,
                     std::span<const Array> arrays,
                     std::span<const Value> fetches,
                     std::span<Node* const> targets, const RunOptions& options,
                     ArrayList* results) {
  SL_ASSIGN_OR_RETURN(std::shared_ptr<RemoteMaster> master, Master());
  Result<std::vector<Array>> made =
      master->Run(fetches, Fed(feeds, arrays), targets, options);
  if (!made.ok()) {
    // The next call connects again: a session is lost with its master.
    if (made.status().code() == Code::kUnavailable ||
        made.status().code() == Code::kAborted) {
      Leave(master);
    }
    return made.status();
  }
  for (Array& value : *made) results->push_back(std::move(value));
  return OkStatus();
}

Result<std::string> TaskRuns::Explain(std::span<const Value> feeds,
                                      std::span<const Array> arrays,
                                      std::span<const Value> fetches,
                                      std::span<Node* const> targets) {
  SL_ASSIGN_OR_RETURN(std::shared_ptr<RemoteMaster> master, Master());
  return master->Explain(fetches, Fed(feeds, arrays), targets,
                         ExecutorChoice::kAuto);
}

Result<MemoryForecast> TaskRuns::PlanMemory(std::span<const Value> feeds,
                                            std::span<const Array> arrays,
                                            std::span<const Value> fetches,
                                            std::span<Node* const> targets) {
  SL_ASSIGN_OR_RETURN(std::shared_ptr<RemoteMaster> master, Master());
  return master->PlanMemory(fetches, Fed(feeds, arrays), targets);
}

}  // namespace sluice::front_internal
