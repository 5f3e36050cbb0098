#include "sluice/trace/unused_calls.h"

#include "sluice/base/error.h"
#include "sluice/op/signature.h"
#include "sluice/passes/may_move.h"

namespace sluice::front_internal {

namespace {

// The nodes of a region, and of nested ones, that a run needs for some values
// and effects. Results of loops and branches are followed one by one, because
// passes drop them one by one. The outer regions may not be complete yet.
class Needs {
 public:
  explicit Needs(const Region& region) : region_(region) {}

  void Need(const Value& value) {
    if (!region_.Encloses(value.node->region())) return;
    if (values_.insert(value).second) open_.push_back(value);
  }
  void NeedEffects(const Region& region) {
    for (const Node* node : region.nodes()) {
      if (ActsItself(node->op())) Need(*node);
      for (const auto& inner : node->regions()) NeedEffects(*inner);
    }
    for (const Node* target : region.targets()) Need(*target);
  }
  void Follow() {
    while (!open_.empty() || !open_nodes_.empty()) {
      if (!open_nodes_.empty()) {
        const Node& node = *open_nodes_.back();
        open_nodes_.pop_back();
        FollowRun(node);
        continue;
      }
      Value value = open_.back();
      open_.pop_back();
      if (value.node->is_args()) {
        FollowArgument(value);
      } else {
        FollowOutput(value);
      }
    }
  }
  bool Has(const Node& node) const { return nodes_.count(&node) > 0; }

 private:
  static bool ActsItself(const OpRecord& op) {
    return op.stateful || op.effect != Effect::kNone ||
           !op.global_effect.empty() || op.async();
  }

  // The node must run, whatever its results are used for.
  void Need(const Node& node) {
    if (!region_.Encloses(node.region())) return;
    if (nodes_.insert(&node).second) open_nodes_.push_back(&node);
  }
  void FollowRun(const Node& node) {
    if (const Node* owner = node.region()->owner()) Need(*owner);
    for (const Node* control : node.controls()) Need(*control);
    switch (node.op().flow) {
      case Flow::kLoop:
        NeedResult(node, 0, 0);
        break;
      case Flow::kBranch:
        Need(node.input(0));
        break;
      default:
        for (const Value& in : node.inputs()) Need(in);
        for (const auto& region : node.regions()) {
          for (const Value& result : region->results()) Need(result);
        }
    }
  }

  void NeedCarried(const Node& loop, int i) {
    Need(loop.input(i));
    NeedResult(loop, 1, i);
  }

  void FollowArgument(const Value& arg) {
    if (arg.node->region() == &region_) return;
    const Node* owner = arg.node->region()->owner();
    Need(*owner);
    if (owner->op().flow == Flow::kLoop) {
      NeedCarried(*owner, arg.index);
    } else {
      for (const Value& in : owner->inputs()) Need(in);
    }
  }

  void FollowOutput(const Value& value) {
    const Node& node = *value.node;
    Need(node);
    if (node.op().flow == Flow::kLoop) {
      NeedCarried(node, value.index);
    } else if (node.op().flow == Flow::kBranch) {
      for (size_t k = 0; k < node.regions().size(); ++k) {
        NeedResult(node, k, value.index);
      }
    }
  }

  // Regions of a function still being recorded may have no results yet.
  void NeedResult(const Node& node, size_t region, int i) {
    if (region >= node.regions().size()) return;
    std::span<const Value> results = node.regions()[region]->results();
    auto k = static_cast<size_t>(i);
    if (k < results.size()) Need(results[k]);
  }

  const Region& region_;
  std::unordered_set<Value, ValueHash> values_;
  std::vector<Value> open_;
  std::unordered_set<const Node*> nodes_;
  std::vector<const Node*> open_nodes_;
};

// For a call with one input: whether it succeeds with all unknown sizes as
// small as possible, and therefore with any sizes.
bool FailsForNoSizes(const Node& node) {
  if (node.num_inputs() != 1 || !node.input(0).shape().rank_known()) {
    return false;
  }
  PartialShape least = node.input(0).shape();
  for (int i = 0; i < least.rank(); ++i) {
    if (least[i] < 0) least.set_dim(i, 0);
  }
  DType dtype = node.input(0).dtype();
  std::vector<DType> out_dtypes;
  for (int i = 0; i < node.num_outputs(); ++i) {
    out_dtypes.push_back(node.output_type(i).dtype);
  }
  return InferShapes(node.op(), node.attrs(), {&dtype, 1}, {&least, 1}, {},
                     out_dtypes)
      .ok();
}

// Whether a call added to a graph fails for some sizes or elements.
bool MayFail(const Node& node) {
  const OpRecord& op = node.op();
  if (op.structural || op.handle || op.role == Role::kConst) return false;
  bool list = node.num_inputs() > 0 && node.input(0).dtype() == DType::kList;
  if (op.shape_only && !list) return false;
  if (op.fails_for_sizes_only && FailsForNoSizes(node)) return false;
  return !CannotFail(node);
}

class UnusedCalls {
 public:
  UnusedCalls(Graph& graph, const Needs& needs,
              const std::unordered_set<int>& calls)
      : graph_(graph), needs_(needs), calls_(calls) {}

  std::vector<Node*> In(Region& region) const {
    std::vector<Node*> found;
    for (Node* node : region.nodes()) {
      bool inside = false;
      for (const auto& inner : node->regions()) {
        inside = MakeTargets(*inner) || inside;
      }
      if (needs_.Has(*node)) continue;
      if (inside || (calls_.count(node->id()) && MayFail(*node))) {
        found.push_back(node);
      }
    }
    return found;
  }

 private:
  bool MakeTargets(Region& region) const {
    std::vector<Node*> found = In(region);
    if (found.empty()) return false;
    std::vector<Node*> targets(region.targets().begin(),
                               region.targets().end());
    targets.insert(targets.end(), found.begin(), found.end());
    graph_.SetTargets(region, std::move(targets));
    return true;
  }

  Graph& graph_;
  const Needs& needs_;
  const std::unordered_set<int>& calls_;
};

}  // namespace

void KeepUnusedCalls(Graph& graph, Region& region,
                     const std::unordered_set<int>& calls) {
  if (calls.empty()) return;
  Needs needs(region);
  needs.NeedEffects(region);
  for (const Value& result : region.results()) needs.Need(result);
  needs.Follow();
  std::vector<Value> unused;
  const Node* first = nullptr;
  for (const Node* node : region.nodes()) {
    if (needs.Has(*node) || !calls.count(node->id()) || !MayFail(*node)) {
      continue;
    }
    if (!first) first = node;
    if (node->num_outputs() > 0) {
      unused.push_back({const_cast<Node*>(node), 0});
    }
  }
  if (unused.empty()) return;
  NodeOptions options;
  options.line = first->line();
  options.device = first->device();
  Attrs holds{{"value", Array::Scalar(true)}};
  Node* truth = ValueOrThrow(graph.Add(region, "Const", {}, holds, options));
  unused.insert(unused.begin(), truth->output());
  Attrs attrs{{"message", "calls whose results nobody uses"}};
  ThrowIfError(graph.Add(region, "Assert", unused, attrs, options).status());
}

std::vector<Node*> UnusedCallsThatMayFail(
    Graph& graph, std::span<const Value> results,
    const std::unordered_set<int>& calls) {
  if (calls.empty()) return {};
  Needs needs(graph.root());
  needs.NeedEffects(graph.root());
  for (const Value& result : results) needs.Need(result);
  needs.Follow();
  return UnusedCalls(graph, needs, calls).In(graph.root());
}

}  // namespace sluice::front_internal
