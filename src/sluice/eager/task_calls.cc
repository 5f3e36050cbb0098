#include "sluice/eager/task_calls.h"

#include <memory>
#include <unordered_map>
#include <vector>

#include "sluice/base/strings.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/base/thread_owned.h"
#include "sluice/eager/call_device.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/op/host_inputs.h"
#include "sluice/session/connected_cluster.h"
#include "sluice/session/remote_master.h"

namespace sluice {

std::atomic<int> TaskScopes::open_{0};

namespace {
std::vector<std::string>& Entered() {
  return ThreadOwned<std::vector<std::string>>::Get();
}
}  // namespace

void TaskScopes::Enter(std::string device) {
  const int task = device.empty() ? 0 : 1;
  Entered().push_back(std::move(device));
  open_.fetch_add(task, std::memory_order_relaxed);
}

void TaskScopes::Leave() {
  std::vector<std::string>& all = Entered();
  open_.fetch_sub(all.back().empty() ? 0 : 1, std::memory_order_relaxed);
  all.pop_back();
}

const std::string* TaskScopes::OfThread() {
  const std::vector<std::string>& all = Entered();
  return all.empty() || all.back().empty() ? nullptr : &all.back();
}

bool RunsInTask(const OpRecord& op) {
  return !op.view && !op.any_memory && !op.shape_only && !GivesSizes(op);
}

namespace {

// A node that was asked for: what it is fed, and what it gives.
struct KnownCall {
  std::vector<Value> feeds, fetches;
  Node* node = nullptr;
};

// The calls of one connection: a graph that has a node for each kind of call,
// and a session with it.
class TaskCalls {
 public:
  // So many nodes, and another graph is begun.
  static constexpr int kMostNodes = 4096;

  // That of the connection there is. Waits for the first answer of one.
  static Result<std::shared_ptr<TaskCalls>> Current();
  // The next call connects anew: a session is lost with its master.
  static void Leave(const std::shared_ptr<TaskCalls>& calls);

  Result<KnownCall> Find(const std::string& device, const OpRecord& op,
                         const Attrs& attrs, std::span<const Array> inputs);
  Result<std::vector<Array>> Run(const KnownCall& call,
                                 std::span<const Array> inputs) {
    FeedList feeds;
    for (size_t i = 0; i < inputs.size(); ++i) {
      feeds.emplace_back(call.feeds[i], inputs[i]);
    }
    Node* targets[] = {call.node};
    return master_->Run(call.fetches, feeds, targets, {});
  }

 private:
  struct Place {
    Mutex mu;
    std::shared_ptr<TaskCalls> calls SL_GUARDED_BY(mu);
    // Never destroyed: threads may call while the process ends.
    static Place& Get() {
      static auto* place = new Place;
      return *place;
    }
  };
  bool full() {
    MutexLock lock(graph_.mu());
    return graph_.num_nodes() >= kMostNodes;
  }

  Graph graph_{"calls"};
  uint64_t connection_ = 0;
  std::shared_ptr<RemoteMaster> master_;
  std::unordered_map<std::string, KnownCall> known_;  // under the graph's lock
};

Result<std::shared_ptr<TaskCalls>> TaskCalls::Current() {
  ConnectedCluster cluster = CurrentCluster();
  if (cluster.number == 0) {
    return FailedPrecondition(
        "no cluster is connected; wanted a connection to one while calls are "
        "made in the scope of its task");
  }
  Place& place = Place::Get();
  std::shared_ptr<TaskCalls> old;  // goes with no lock held
  MutexLock lock(place.mu);
  if (!place.calls || place.calls->connection_ != cluster.number ||
      place.calls->full()) {
    old = std::move(place.calls);
    auto made = std::make_shared<TaskCalls>();
    made->connection_ = cluster.number;
    SL_ASSIGN_OR_RETURN(made->master_,
                        ConnectToMaster(made->graph_, cluster.target, 0));
    place.calls = std::move(made);
  }
  return place.calls;
}

void TaskCalls::Leave(const std::shared_ptr<TaskCalls>& calls) {
  Place& place = Place::Get();
  std::shared_ptr<TaskCalls> old;
  MutexLock lock(place.mu);
  if (place.calls == calls) old = std::move(place.calls);
}

// Calls of one key are one node, however large their operands are; empty: the
// call is not like another.
std::string KeyOf(const std::string& device, const OpRecord& op,
                  const Attrs& attrs, std::span<const Array> inputs) {
  std::string key = StrCat(device, "\n", op.name, "\n");
  for (const Array& in : inputs) {
    StrAppend(key, DTypeName(in.dtype()), in.rank(), ",");
  }
  for (const auto& [name, value] : attrs) {
    if (value.kind() == AttrKind::kArray) return "";
    StrAppend(key, "\n", name, "=", value.ToString());
  }
  return key;
}

Result<KnownCall> TaskCalls::Find(const std::string& device, const OpRecord& op,
                                  const Attrs& attrs,
                                  std::span<const Array> inputs) {
  const std::string key = KeyOf(device, op, attrs, inputs);
  MutexLock lock(graph_.mu());
  auto it = known_.find(key);
  if (it != known_.end() && !key.empty()) return it->second;
  KnownCall call;
  for (const Array& in : inputs) {
    SL_ASSIGN_OR_RETURN(
        Value arg,
        graph_.AddArg(graph_.root(), StrCat("x", graph_.root().num_args()),
                      {in.dtype(), PartialShape::OfRank(in.rank())}));
    call.feeds.push_back(arg);
  }
  NodeOptions options;
  options.device = device;
  SL_ASSIGN_OR_RETURN(call.node, graph_.Add(graph_.root(), op.name, call.feeds,
                                            attrs, options));
  for (int i = 0; i < call.node->num_outputs(); ++i) {
    call.fetches.push_back(call.node->output(i));
  }
  known_[key] = call;
  return call;
}

}  // namespace

Status CallInTask(const std::string& device, const OpRecord& op,
                  const Attrs& attrs, const RandomState* random,
                  std::span<Array> inputs, std::span<Array> outputs) {
  std::vector<Array> in;
  for (Array& array : inputs) {
    SL_ASSIGN_OR_RETURN(Array here, OnHost(array));
    in.push_back(std::move(here));
  }
  // As a call of this process draws: the op is told from where.
  if (random) {
    in.push_back(Array::Vector<int64_t>(
        {static_cast<int64_t>(random->seed), random->calls}));
  }
  SL_ASSIGN_OR_RETURN(std::shared_ptr<TaskCalls> calls, TaskCalls::Current());
  SL_ASSIGN_OR_RETURN(KnownCall call, calls->Find(device, op, attrs, in));
  Result<std::vector<Array>> made = calls->Run(call, in);
  if (!made.ok()) {
    if (made.status().code() == Code::kUnavailable ||
        made.status().code() == Code::kAborted) {
      TaskCalls::Leave(calls);
    }
    return made.status();
  }
  std::move(made->begin(), made->end(), outputs.begin());
  return OkStatus();
}

}  // namespace sluice
