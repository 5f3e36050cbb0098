#include "sluice/batching/batcher.h"

#include <utility>

#include "sluice/base/strings.h"
#include "sluice/batching/lane_spread.h"
#include "sluice/batching/rule_forecast.h"
#include "sluice/op/batch_rules.h"

namespace sluice {

namespace {

// Whether the op has side effects that other lanes or other code can see.
bool Writes(const OpRecord& op) {
  return op.effect == Effect::kWrite ||
         (op.global_effect == "files" && op.outputs.empty());
}

// Whether running the op has effects besides its results.
bool ActsItself(const Node& node) {
  const OpRecord& op = node.op();
  return !op.global_effect.empty() || (op.stateful && node.num_outputs() == 0);
}

bool Acts(const Node& node) {
  if (ActsItself(node)) return true;
  if (node.op().flow == Flow::kFunction) return false;
  bool found = false;
  std::unordered_set<const Node*> called;
  const Node* owner =
      node.op().flow == Flow::kCall ? node.input(0).node : &node;
  for (const auto& region : owner->regions()) {
    ForEachInside(*region, called, [&](const Node& inner) {
      found = found || ActsItself(inner);
    });
  }
  return found;
}

// The nodes with effects among those added after the first `before`.
std::vector<Node*> ActingSince(const Region& region, size_t before) {
  std::vector<Node*> acting;
  for (Node* node : region.nodes().subspan(before)) {
    if (Acts(*node)) acting.push_back(node);
  }
  return acting;
}

// After an error, removes the nodes added so far.
void TakeBack(EmitState& state, Region& region, size_t before) {
  for (Node* node : state.open) state.graph.MoveToEnd(*node);
  while (region.nodes().size() > before) {
    state.graph.Erase(*region.nodes().back());
  }
}

}  // namespace

Status Batcher::Refused(const Node& node, std::string_view message) const {
  return InvalidArgument(StrCat("[", node.op().name, "] ", message))
      .WithLine(NodeLine(node));
}

std::vector<Lanes> Batcher::RunRegion(BatchScope& scope, const Region& code) {
  const Node* source = state_.source;
  std::vector<Node*> controls = state_.controls;
  std::vector<Node*> targets;
  LaneSizes sizes(code);
  LaneSizes* around = std::exchange(sizes_, &sizes);
  for (const Node* node : code.nodes()) {
    if (!state_.status.ok()) break;
    state_.source = node;
    state_.controls.clear();
    for (Node* before : node->controls()) {
      const std::vector<Node*>& first = done_[before];
      state_.controls.insert(state_.controls.end(), first.begin(), first.end());
    }
    RunNode(scope, *node);
  }
  std::vector<Lanes> results;
  if (state_.status.ok()) {
    for (const Value& v : code.results()) results.push_back(scope.Find(v));
    for (Node* target : code.targets()) {
      const std::vector<Node*>& became = done_[target];
      targets.insert(targets.end(), became.begin(), became.end());
    }
    Region& into = scope.emit().region();
    if (into.owner() && !targets.empty()) {
      targets.insert(targets.end(), into.targets().begin(),
                     into.targets().end());
      state_.graph.SetTargets(into, std::move(targets));
    }
  }
  sizes_ = around;
  state_.source = source;
  state_.controls = std::move(controls);
  return results;
}

void Batcher::RunNode(BatchScope& scope, const Node& node) {
  Region& into = scope.emit().region();
  size_t before = into.nodes().size();
  switch (node.op().flow) {
    case Flow::kNone:
      RunOp(scope, node);
      break;
    case Flow::kBranch:
      if (!sizes_->Leave(node, scope)) RunBranch(scope, node);
      break;
    case Flow::kLoop:
      RunLoop(scope, node);
      break;
    case Flow::kFunction:
      return;  // code, which runs when called
    case Flow::kCall:
      RunCall(scope, node);
      break;
    default:
      scope.emit().Fail(
          Refused(node,
                  "a primitive of control flow under vmap; wanted cond, "
                  "switch_case or while_loop"));
  }
  if (!state_.status.ok() || into.nodes().size() == before) return;
  std::vector<Node*> became = ActingSince(into, before);
  Node* last = into.nodes().back();
  if (became.empty() || became.back() != last) became.push_back(last);
  done_[&node] = std::move(became);
}

void Batcher::RunOp(BatchScope& scope, const Node& node) {
  const OpRecord& op = node.op();
  if (Writes(op)) {
    scope.emit().Fail(
        Refused(node,
                "changes state under vmap, where every lane would; wanted a "
                "result to be written by the program around it"));
    return;
  }
  if (sizes_->left(node)) return;
  if (!sizes_->LeftTo(node).empty()) {
    RunLanes(scope, node);
    return;
  }
  Emitter& emit = scope.emit();
  NodeBatchContext c(scope, node);
  if (!c.any_batched() && !op.random) {
    Values inputs;
    for (int i = 0; i < c.num_inputs(); ++i) inputs.push_back(c.value(i));
    Node* made = emit.Add(op.name, inputs, node.attrs());
    for (int i = 0; made && i < node.num_outputs(); ++i) {
      scope.Set({const_cast<Node*>(&node), i}, {made->output(i), false});
    }
    ++report_.single;
    return;
  }
  bool apart =
      TakesOrGivesLists(node) &&
      !RuleForecast(
           node, [&](const Value& v) { return scope.FormOf(v); },
           [&](const Value& v) { return CanHaveLanes(scope.Find(v).value); })
           .serves();
  BatchFn rule = apart ? op.batch_lists : BatchRuleOf(op);
  bool served = rule && rule(c);
  if (!c.status().ok()) emit.Fail(c.status());
  if (!emit.ok()) return;
  if (!served) {
    if (!sizes_->Leave(node, scope)) RunLanes(scope, node);
    return;
  }
  ++report_.together;
  int64_t lanes = scope.known_count();
  for (int i = 0; i < node.num_outputs(); ++i) {
    Lanes out = c.output(i);
    if (out.batched && !IsList(out.value)) {
      emit.Refine(out.value, WithLanes(node.output_type(i).shape, lanes));
    }
    scope.Set({const_cast<Node*>(&node), i}, out);
  }
}

void Batcher::SetLanes(BatchScope& scope, const Node& node,
                       const Values& values) {
  int64_t lanes = scope.known_count();
  for (size_t i = 0; i < values.size() && state_.status.ok(); ++i) {
    int k = static_cast<int>(i);
    bool list = IsList(values[i]);
    if (!list) {
      scope.emit().Refine(values[i],
                          WithLanes(node.output_type(k).shape, lanes));
    }
    scope.Set({const_cast<Node*>(&node), k}, {values[i], true, list});
  }
}

Result<std::vector<Lanes>> BatchRegion(Graph& graph, const Region& code,
                                       Region& into,
                                       const std::vector<Lanes>& args,
                                       BatchReport* report) {
  BatchReport unused;
  Batcher batcher(graph, report ? *report : unused);
  size_t before = into.nodes().size();
  if (!code.nodes().empty()) {
    batcher.state().device = code.nodes()[0]->device();
  }
  Emitter emit(batcher.state(), into);
  Value count;
  for (const Lanes& arg : args) {
    if (arg.batched && !count) count = emit.Rows(arg.value);
  }
  SL_CHECK(count || !emit.ok());
  BatchScope scope(emit, count);
  for (size_t i = 0; i < args.size(); ++i) {
    scope.Set(code.arg(static_cast<int>(i)), args[i]);
  }
  std::vector<Lanes> results = batcher.RunRegion(scope, code);
  // Effects happen whenever a result is computed, as in the region of a loop.
  std::vector<Node*> acting = ActingSince(into, before);
  batcher.state().controls = acting;
  for (Lanes& result : results) {
    if (acting.empty()) break;
    result.value = emit.Call("Identity", {result.value});
  }
  if (emit.ok()) return results;
  TakeBack(batcher.state(), into, before);
  return emit.status();
}

}  // namespace sluice
