#include "sluice/cluster/remote_partial.h"

#include <algorithm>
#include <unordered_set>

#include "sluice/base/caught.h"
#include "sluice/base/started_thread.h"
#include "sluice/base/strings.h"
#include "sluice/cluster/remote_session.h"
#include "sluice/graph/effects.h"
#include "sluice/graph/traverse.h"
#include "sluice/passes/prune.h"

namespace sluice::cluster {

namespace {

// ---- Queues ----

enum class Way { kFed, kFetched };

// The handle of the queue for a value of the step.
Result<Value> QueueFor(Graph& graph, const std::string& container, Way way,
                       int number, const ValueType& type) {
  Attrs attrs = {
      {"dtypes", std::vector<DType>{type.dtype}},
      {"shapes", std::vector<PartialShape>{type.shape}},
      {"capacity", int64_t{1}},
      {"container", container},
      {"shared_name", StrCat(way == Way::kFed ? "feed" : "fetch", number)}};
  SL_ASSIGN_OR_RETURN(Node * handle,
                      graph.Add(graph.root(), "FifoQueue", {}, attrs));
  return handle->output();
}

Result<Value> Taken(Graph& graph, const Value& queue, const ValueType& type) {
  Attrs attrs = {{"dtypes", std::vector<DType>{type.dtype}},
                 {"shapes", std::vector<PartialShape>{type.shape}}};
  SL_ASSIGN_OR_RETURN(Node * node,
                      graph.Add(graph.root(), "Dequeue", {{queue}}, attrs));
  return node->output();
}

Result<Node*> Put(Graph& graph, const Value& queue, const Value& value) {
  return graph.Add(graph.root(), "Enqueue", {{queue, value}}, {});
}

// ---- Graphs ----

// The pruned graph with queues for arguments and results.
Result<std::unique_ptr<Graph>> Whole(const Graph& pruned,
                                     const std::string& container) {
  std::unique_ptr<Graph> graph = pruned.Clone();
  Region& root = graph->root();
  Node* first = root.nodes().empty() ? nullptr : root.nodes().front();
  std::vector<Node*> targets(root.targets().begin(), root.targets().end());
  for (int i = 0; i < root.num_args(); ++i) {
    Value arg = root.arg(i);
    const ValueType type = arg.type();
    SL_ASSIGN_OR_RETURN(Value queue,
                        QueueFor(*graph, container, Way::kFed, i, type));
    SL_ASSIGN_OR_RETURN(Value taken, Taken(*graph, queue, type));
    // Before their users, in program order as well.
    if (first) graph->MoveBefore(*queue.node, *first);
    if (first) graph->MoveBefore(*taken.node, *first);
    graph->ReplaceUses(arg, taken);
    // Unneeded feeds too: the queue must be empty afterwards.
    targets.push_back(taken.node);
  }
  const std::vector<Value> results(root.results().begin(),
                                   root.results().end());
  for (size_t i = 0; i < results.size(); ++i) {
    SL_ASSIGN_OR_RETURN(Value queue,
                        QueueFor(*graph, container, Way::kFetched,
                                 static_cast<int>(i), results[i].type()));
    SL_ASSIGN_OR_RETURN(Node * put, Put(*graph, queue, results[i]));
    targets.push_back(put);
  }
  graph->SetResults(root, {});
  graph->SetTargets(root, std::move(targets));
  return graph;
}

// The graph of one call: enqueues its feeds, dequeues its fetches.
Result<std::unique_ptr<Graph>> Part(const Graph& pruned,
                                    const std::string& container,
                                    const std::vector<int>& feeds,
                                    const std::vector<int>& fetches) {
  auto graph = std::make_unique<Graph>("partial");
  Region& root = graph->root();
  std::vector<Node*> targets;
  std::vector<Value> results;
  for (int i : feeds) {
    const ValueType type = pruned.root().arg(i).type();
    SL_ASSIGN_OR_RETURN(Value arg, graph->AddArg(root, StrCat("x", i), type));
    SL_ASSIGN_OR_RETURN(Value queue,
                        QueueFor(*graph, container, Way::kFed, i, type));
    SL_ASSIGN_OR_RETURN(Node * put, Put(*graph, queue, arg));
    targets.push_back(put);
  }
  for (int i : fetches) {
    const ValueType type =
        pruned.root().results()[static_cast<size_t>(i)].type();
    SL_ASSIGN_OR_RETURN(Value queue,
                        QueueFor(*graph, container, Way::kFetched, i, type));
    SL_ASSIGN_OR_RETURN(Value taken, Taken(*graph, queue, type));
    results.push_back(taken);
  }
  graph->SetResults(root, std::move(results));
  graph->SetTargets(root, std::move(targets));
  return graph;
}

// By result: the arguments it depends on by data, control and effects.
std::vector<std::vector<int>> NeedsOf(const Graph& pruned) {
  const Region& root = pruned.root();
  std::unordered_map<const Node*, std::vector<const Node*>> effects;
  for (const EffectEdge& edge : EffectEdges(root)) {
    effects[edge.after].push_back(edge.before);
  }
  std::vector<std::vector<int>> needs;
  for (const Value& result : root.results()) {
    std::vector<int>& its = needs.emplace_back();
    std::unordered_set<const Node*> met;
    std::vector<const Node*> open;
    auto meet = [&](const Value& v) {
      if (!v.node->is_args()) {
        if (met.insert(v.node).second) open.push_back(v.node);
      } else if (!std::count(its.begin(), its.end(), v.index)) {
        its.push_back(v.index);
      }
    };
    meet(result);
    while (!open.empty()) {
      const Node* node = open.back();
      open.pop_back();
      for (const Value& in : InputsWithCaptures(*node)) meet(in);
      for (const Node* before : node->controls()) {
        if (met.insert(before).second) open.push_back(before);
      }
      for (const Node* before : effects[node]) {
        if (met.insert(before).second) open.push_back(before);
      }
    }
  }
  return needs;
}

// ---- The run ----

class RemotePartialRun final : public PartialRun {
 public:
  RemotePartialRun(RemoteSession& session, PartialPlaces& places,
                   std::unique_ptr<PartialPlace> place,
                   std::span<const Value> feeds, std::span<const Value> fetches)
      : PartialRun(place->program, feeds, fetches),
        session_(session),
        places_(places),
        place_(std::move(place)) {
    RunOptions options;
    options.cancellation = stop_;
    // The last operation that may fail: there may be no more threads.
    step_ = StartedThread([this, options] {
      ended_ = session_.RunSent(place_->whole, {}, 0, options).status();
      // The calls would wait forever.
      if (!ended_.ok()) calls_->Cancel(ended_);
    });
  }

  ~RemotePartialRun() override {
    // With all its feeds, the step ends by itself.
    const bool ending = place_->program->graph().root().targets().empty() &&
                        broken_.ok() && AllGiven();
    if (!ending) stop_->Cancel(Cancelled("the partial run was dropped"));
    step_.join();
    places_.GiveBack(std::move(place_), ended_.ok() && AllGiven());
  }

  Result<std::vector<Array>> Run(std::span<const Value> fetches,
                                 const FeedList& feeds) override {
    if (!broken_.ok()) return broken_;
    SL_ASSIGN_OR_RETURN(Parts parts, PartsOf(fetches, feeds));
    for (size_t k = 0; k < fetches.size(); ++k) {
      for (int i : place_->needs[static_cast<size_t>(parts.fetches[k])]) {
        if (fed(i) || std::count(parts.feeds.begin(), parts.feeds.end(), i)) {
          continue;
        }
        return FailedPrecondition(
            StrCat("the fetch \"", fetches[k].ToString(),
                   "\" needs a feed that has not been given yet: \"",
                   feed(i).ToString(), "\""));
      }
    }
    SL_ASSIGN_OR_RETURN(uint64_t part, PreparedFor(parts));
    std::vector<Array> arrays;
    for (const auto& [value, array] : feeds) arrays.push_back(array);
    RunOptions options;
    options.cancellation = calls_;
    Result<std::vector<Array>> results =
        session_.RunSent(part, arrays, fetches.size(), options);
    if (!results.ok()) {
      broken_ = results.status();
      // The step's own error says more than the cancellation of a call.
      if (!calls_->status().ok()) broken_ = calls_->status();
      return broken_;
    }
    WasFed(parts);
    WasFetched(parts);
    return results;
  }

 private:
  Result<uint64_t> PreparedFor(const Parts& parts) {
    auto key = std::pair(parts.feeds, parts.fetches);
    auto it = place_->parts.find(key);
    if (it != place_->parts.end()) return it->second;
    SL_ASSIGN_OR_RETURN(
        std::unique_ptr<Graph> graph,
        Part(program_->graph(), place_->container, parts.feeds, parts.fetches));
    SL_ASSIGN_OR_RETURN(uint64_t id,
                        session_.SendGraph(*graph, ExecutorChoice::kAuto, 0));
    place_->parts.emplace(std::move(key), id);
    return id;
  }

  RemoteSession& session_;
  PartialPlaces& places_;
  std::unique_ptr<PartialPlace> place_;
  // Cancels the step, and the calls that wait for it.
  const std::shared_ptr<Cancellation> stop_ = std::make_shared<Cancellation>();
  const std::shared_ptr<Cancellation> calls_ = std::make_shared<Cancellation>();
  Status ended_;  // set by its thread; read after the join
  std::thread step_;
};

std::vector<uint64_t> KeyOf(std::span<const Value> feeds,
                            std::span<const Value> fetches,
                            std::span<Node* const> targets) {
  // Nodes are identified by address: the graph never removes one.
  std::vector<uint64_t> key = {feeds.size(), fetches.size()};
  for (std::span<const Value> values : {feeds, fetches}) {
    for (const Value& v : values) {
      key.push_back(reinterpret_cast<uintptr_t>(v.node));
      key.push_back(static_cast<uint64_t>(v.index));
    }
  }
  for (Node* node : targets) key.push_back(reinterpret_cast<uintptr_t>(node));
  return key;
}

}  // namespace

Result<std::unique_ptr<PartialPlace>> PartialPlaces::Make(
    Graph& graph, std::span<const Value> feeds, std::span<const Value> fetches,
    std::span<Node* const> targets) {
  auto place = std::make_unique<PartialPlace>();
  place->key = KeyOf(feeds, fetches, targets);
  {
    MutexLock lock(mu_);
    auto same = [&](const auto& p) { return p->key == place->key; };
    auto it = std::find_if(idle_.begin(), idle_.end(), same);
    if (it != idle_.end()) {
      place = std::move(*it);
      idle_.erase(it);
      return place;
    }
    place->container = StrCat("partial_", session_.number(), "_", next_++);
  }
  std::unique_ptr<Graph> pruned;
  {
    MutexLock lock(graph.mu());
    SL_ASSIGN_OR_RETURN(pruned, Prune(graph, feeds, fetches, targets));
  }
  place->needs = NeedsOf(*pruned);
  SL_ASSIGN_OR_RETURN(std::unique_ptr<Graph> whole,
                      Whole(*pruned, place->container));
  place->program = std::make_shared<Program>(std::move(pruned), PlanOptions());
  // Islands would wait for all their inputs; here inputs arrive one by one.
  SL_ASSIGN_OR_RETURN(place->whole,
                      session_.SendGraph(*whole, ExecutorChoice::kTokens, 0));
  return place;
}

Result<std::unique_ptr<PartialRun>> PartialPlaces::Setup(
    Graph& graph, std::span<const Value> feeds, std::span<const Value> fetches,
    std::span<Node* const> targets) {
  SL_RETURN_IF_ERROR(CheckPartial(fetches, targets));
  SL_ASSIGN_OR_RETURN(std::unique_ptr<PartialPlace> place,
                      Make(graph, feeds, fetches, targets));
  return Guarded([&]() -> Result<std::unique_ptr<PartialRun>> {
    return std::unique_ptr<PartialRun>(std::make_unique<RemotePartialRun>(
        session_, *this, std::move(place), feeds, fetches));
  });
}

void PartialPlaces::GiveBack(std::unique_ptr<PartialPlace> place, bool clean) {
  if (clean) {
    MutexLock lock(mu_);
    idle_.push_back(std::move(place));
    return;
  }
  session_.Release(place->whole);
  for (const auto& [what, id] : place->parts) session_.Release(id);
  (void)session_.Reset(place->container);
}

std::vector<std::string> PartialPlaces::TakeIdle() {
  MutexLock lock(mu_);
  std::vector<std::string> containers;
  for (const auto& place : idle_) containers.push_back(place->container);
  idle_.clear();
  return containers;
}

}  // namespace sluice::cluster
