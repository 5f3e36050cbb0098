#include "sluice/trace/merged_flow.h"

#include <algorithm>
#include <set>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/op/carries_gradient.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/goes_round.h"
#include "sluice/trace/graph_tape.h"
#include "sluice/trace/inside_vmap.h"
#include "sluice/trace/random_place.h"
#include "sluice/trace/trace_call.h"

namespace sluice {

FlowWhen Capture::FlowOf(const EagerValue& value) const {
  if (!value.tracked() || !CarriesGradient(value.dtype())) return {};
  if (!merged_ || !value.producer) return {.always = true};
  FlowWhen found;
  auto add = [&](const Value& when) {
    if (std::find(found.any.begin(), found.any.end(), when) ==
        found.any.end()) {
      found.any.push_back(when);
    }
  };
  using Place = std::pair<const TapeNode*, int>;
  std::vector<Place> open{{value.producer.get(), value.output}};
  std::set<Place> seen(open.begin(), open.end());
  while (!open.empty()) {
    auto [node, output] = open.back();
    open.pop_back();
    if (auto* outside = dynamic_cast<const OutsideTapeNode*>(node)) {
      if (!outside->when) return {.always = true};
      add(outside->when);
      continue;
    }
    auto* stretch = dynamic_cast<const GraphTapeNode*>(node);
    if (!stretch) return {.always = true};
    if (Value when = stretch->When(output)) {
      add(when);
      continue;
    }
    // On every path.
    if (stretch->has_regions()) return {.always = true};
    for (size_t i = 0; i < node->edges.size(); ++i) {
      const TapeEdge& edge = node->edges[i];
      GraphTapeNode::Through through = stretch->ThroughTo(output, i);
      if (!edge || through.never) continue;
      if (through.when) {
        add(through.when);
        continue;
      }
      if (edge.leaf) return {.always = true};
      Place next{edge.node.get(), edge.output};
      if (edge.node && seen.insert(next).second) open.push_back(next);
    }
  }
  if (found.any.empty()) found.always = true;
  return found;
}

Value Capture::AnyOf(const FlowWhen& flow) {
  Value all = flow.any[0];
  for (size_t i = 1; i < flow.any.size(); ++i) {
    all = TraceNode(*this, "LogicalOr", {all, flow.any[i]}, {});
  }
  if (flow.any.size() > 1) any_of_[all.node->id()] = flow.any;
  return all;
}

bool Capture::HoldsForSizes(const Value& when) {
  if (region_ || !sizes_) return false;
  if (auto it = any_of_.find(when.node->id()); it != any_of_.end()) {
    for (const Value& one : it->second) {
      if (HoldsForSizes(one)) return true;
    }
    return false;
  }
  if (!front_internal::TrueAfterOne(when)) return false;
  auto [it, fresh] = goes_round_.try_emplace(when.node->id(), false);
  if (!fresh) return it->second;
  Value first = front_internal::FirstTest(*this, *when.node);
  if (!first) return false;
  Result<std::optional<double>> now = sizes_->now().NumberOf(first);
  if (!now.ok() || !*now || **now == 0) return false;
  return it->second = sizes_->Require(first, "a loop goes round").ok();
}

namespace {

TapeKey KeyOf(const TapeEdge& edge) {
  return {edge.node.get(), edge.output, edge.leaf.get()};
}

// In the order in which they were first met.
struct Conditions {
  std::vector<std::pair<TapeKey, FlowWhen>> all;
  void Add(const TapeKey& key, const FlowWhen& when) {
    for (auto& [known, flow] : all) {
      if (!(known == key)) continue;
      flow.always = flow.always || when.always;
      for (const Value& v : when.any) {
        if (std::find(flow.any.begin(), flow.any.end(), v) == flow.any.end()) {
          flow.any.push_back(v);
        }
      }
      return;
    }
    all.emplace_back(key, when);
  }
};

}  // namespace

TapeKey Capture::EntryKey(size_t entry) const {
  const Entry& its = entries_[entry];
  auto known = known_.find(its.tracked_from ? its.tracked_from : its.arg);
  return known == known_.end() ? TapeKey() : KeyOf(known->second.edge);
}

Reach Capture::ReachOf(const EagerValue& value, uint64_t since) {
  Reach reach;
  if (!value.tracked() || !CarriesGradient(value.dtype())) return reach;
  Conditions found, open;
  auto add = [&](const TapeKey& key, const FlowWhen& when) {
    auto* call = dynamic_cast<const GraphTapeNode*>(key.node);
    bool inside = call && call->made_at() >= since;
    (inside ? open : found).Add(key, when);
  };
  add(KeyOf(EdgeTo(const_cast<EagerValue&>(value))), {.always = true});
  while (!open.all.empty()) {
    // The deepest: all paths to it have been followed.
    auto next = open.all.begin();
    for (auto it = next; it != open.all.end(); ++it) {
      if (it->first.node->depth() > next->first.node->depth()) next = it;
    }
    auto [key, when] = *next;
    open.all.erase(next);
    if (when.always) when.any.clear();
    auto* call = static_cast<const GraphTapeNode*>(key.node);
    for (size_t i = 0; i < call->edges.size(); ++i) {
      if (!call->edges[i]) continue;
      GraphTapeNode::Through through = call->ThroughTo(key.output, i);
      if (through.never) continue;
      FlowWhen further = when;
      if (through.when) {
        Value both = through.when;
        if (!when.always) {
          both = TraceNode(*this, "LogicalAnd", {AnyOf(when), both}, {});
        }
        further = {.always = false, .any = {both}};
      }
      add(KeyOf(call->edges[i]), further);
    }
  }
  for (auto& [key, when] : found.all) {
    reach.push_back({key, when.always ? Value() : AnyOf(when)});
  }
  return reach;
}

WhichEntry Capture::WhichOf(const EagerValue& value) const {
  const TraceState& traced = *value.traced;
  if (traced.number || value.view_of) return {};
  if (auto it = which_.find(&value); it != which_.end()) {
    return {WhichEntry::kNone, it->second};
  }
  if (traced.entry < 0) return {};
  const Entry& entry = entries_[static_cast<size_t>(traced.entry)];
  if (entry.grad_of || entry.value == RandomPlace()) return {};
  return {traced.entry, {}};
}

void Capture::SetWhich(const EagerValue& value, Value told) {
  which_[&value] = told;
}

void Capture::RequireFlow(const EagerValue& value, const std::string& message) {
  if (!value.traced || value.traced->recording != this) return;
  // One lane of a vmap cannot fail alone.
  if (front_internal::InsideVmap()) return;
  FlowWhen flow = FlowOf(value);
  if (!flow.open()) return;
  Value when = AnyOf(flow);
  if (HoldsForSizes(when)) return;
  TraceEffect(*this, "Assert", {when}, {{"message", message}});
}

bool SaidByBranch(const Value& said) {
  std::set<const Node*> seen{said.node};
  std::vector<const Node*> open{said.node};
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    if (node->op().flow == Flow::kBranch) return true;
    // The values that decide the number of iterations do not decide whether a
    // branch is involved.
    if (node->is_args() || node->op().flow == Flow::kLoop) continue;
    for (const Value& in : node->inputs()) {
      if (seen.insert(in.node).second) open.push_back(in.node);
    }
  }
  return false;
}

// Where a branch decides, decisions are made by value. A loop is assumed to run
// an iteration: in runs in which it does not, there is no gradient, and the
// code itself runs instead.
void Capture::RequireGrad(const EagerValue& inside) {
  Value when = GradWhen(inside);
  if (!when) return;
  if (SaidByBranch(when)) {
    throw Error(Unimplemented(
        StrCat("grad: whether ", inside.Describe(),
               ", has a gradient depends on the branch taken, which a captured "
               "function does not know while it is recorded; wanted one on "
               "every way")));
  }
  TakeForGranted(when, StrCat(inside.Describe(), ", has no gradient"));
}

void Capture::TakeForGranted(const Value& when, std::string_view else_what) {
  // One lane of a vmap cannot fail alone.
  if (front_internal::InsideVmap()) return;
  if (!region_ && !granted_.emplace(when.node->id(), when.index).second) return;
  if (HoldsForSizes(when)) return;
  TraceEffect(*this, "Assert", {when},
              {{"message",
                StrCat(else_what,
                       " on the way taken, which a captured function takes for "
                       "granted where gradients are asked for")}});
}

void Capture::CheckFlowKnown(const EagerValue& value,
                             std::string_view what) const {
  if (!value.traced || value.traced->recording != this) return;
  if (!FlowOf(value).open()) return;
  throw Error(Unimplemented(
      StrCat(what, ": whether ", value.Describe(),
             ", requires gradients depends on the branch taken, or on how "
             "often a loop ran, which a captured function does not know while "
             "it is recorded; wanted it the same on every way, by detach() or "
             "requires_grad_()")));
}

}  // namespace sluice
