#include "sluice/trace/grad_arrivals.h"

#include <algorithm>
#include <queue>
#include <unordered_set>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/backward_run.h"
#include "sluice/trace/inside_vmap.h"
#include "sluice/trace/seen_by_code.h"
#include "sluice/trace/trace_call.h"

namespace sluice {

namespace {

const GraphTapeNode* CallSince(const TapeNode* node, uint64_t since) {
  auto* call = dynamic_cast<const GraphTapeNode*>(node);
  return call && call->made_at() >= since ? call : nullptr;
}

void Or(FlowWhen& into, const FlowWhen& more) {
  into.always = into.always || more.always;
  for (const Value& v : more.any) {
    if (std::find(into.any.begin(), into.any.end(), v) == into.any.end()) {
      into.any.push_back(v);
    }
  }
  if (into.always) into.any.clear();
}

}  // namespace

GradArrivals::GradArrivals(Capture& capture, std::span<const EagerRef> roots,
                           uint64_t since)
    : capture_(capture), roots_(roots.begin(), roots.end()), since_(since) {
  if (front_internal::InsideVmap() || !Tells()) return;
  Walk();
}

GradArrivals* GradArrivals::OfRun(Capture& capture) {
  BackwardRun* run = BackwardRun::Current();
  if (!run) return nullptr;
  if (!run->notes) {
    run->notes = std::make_shared<GradArrivals>(capture, run->roots(), 0);
  }
  auto* known = static_cast<GradArrivals*>(run->notes.get());
  return known->all_known() ? nullptr : known;
}

// Whether any flow on the path is known only at run time.
bool GradArrivals::Tells() const {
  std::vector<const TapeNode*> open;
  std::unordered_set<const TapeNode*> seen;
  auto add = [&](const TapeNode* node) {
    if (CallSince(node, since_) && seen.insert(node).second) {
      open.push_back(node);
    }
  };
  for (const EagerRef& y : roots_) add(y->producer.get());
  while (!open.empty()) {
    auto* call = static_cast<const GraphTapeNode*>(open.back());
    open.pop_back();
    if (call->tells()) return true;
    for (const TapeEdge& edge : call->edges) add(edge.node.get());
  }
  return false;
}

// Deepest first: all paths to a call have then been followed.
void GradArrivals::Walk() {
  struct Deeper {
    bool operator()(const GraphTapeNode* a, const GraphTapeNode* b) const {
      return a->depth() < b->depth();
    }
  };
  std::priority_queue<const GraphTapeNode*, std::vector<const GraphTapeNode*>,
                      Deeper>
      open;
  std::unordered_set<const GraphTapeNode*> met;
  auto arrive = [&](const TapeEdge& edge, const FlowWhen& when) {
    Or(when_[{edge.node.get(), edge.output, edge.leaf.get()}], when);
    auto* call = CallSince(edge.node.get(), since_);
    if (call && met.insert(call).second) open.push(call);
  };
  for (const EagerRef& y : roots_) {
    if (!y->traced || !y->tracked()) continue;
    arrive(EdgeTo(y), {.always = true});
  }
  while (!open.empty()) {
    const GraphTapeNode& call = *open.top();
    open.pop();
    for (size_t k = 0; k < call.num_outputs(); ++k) {
      auto here = when_.find({&call, static_cast<int>(k), nullptr});
      if (here == when_.end()) continue;
      const FlowWhen when = here->second;
      for (size_t i = 0; i < call.edges.size(); ++i) {
        if (!call.edges[i]) continue;
        GraphTapeNode::Through through = call.ThroughTo(static_cast<int>(k), i);
        if (through.never) continue;
        FlowWhen further = when;
        if (through.when) {
          Value both = through.when;
          if (!when.always) {
            both = TraceNode(capture_, "LogicalAnd",
                             {capture_.AnyOf(when), both}, {});
          }
          further = {.always = false, .any = {both}};
        }
        arrive(call.edges[i], further);
      }
    }
  }
}

FlowWhen GradArrivals::At(const TapeNode& call, int output) const {
  auto found = when_.find({&call, output, nullptr});
  return found == when_.end() ? FlowWhen{.always = true} : found->second;
}

FlowWhen GradArrivals::Of(EagerValue& value) const {
  TapeEdge edge = EdgeTo(value);
  auto found = when_.find({edge.node.get(), edge.output, edge.leaf.get()});
  return found == when_.end() ? FlowWhen() : found->second;
}

void GradArrivals::RequireMet(Capture& capture, const FlowWhen& when,
                              const SourceLine& line, std::string_view what) {
  if (!when.open()) return;
  for (const Value& one : when.any) {
    if (!SaidByBranch(one)) continue;
    throw Error(Unimplemented(StrCat(
        "backward: whether ", what, " at ", line.ToString(),
        " is met by a gradient depends on the branch taken, which a captured "
        "function does not know while it is recorded; wanted it met on every "
        "way")));
  }
  capture.TakeForGranted(
      capture.AnyOf(when),
      StrCat("backward: ", what, " at ", line.ToString(), ", is not met"));
}

void GradArrivals::CheckSeen(const GraphTapeNode& call, bool kept) {
  for (const TapeNode::Hook& hook : call.hooks) {
    if (hook.place && !kept) continue;
    RequireMet(capture_, At(call, hook.output), call.line(),
               hook.place ? "retain_grad()" : "a hook");
  }
  for (size_t k = 0; k < call.num_outputs(); ++k) {
    auto here = when_.find({&call, static_cast<int>(k), nullptr});
    if (here == when_.end() || !here->second.open()) continue;
    if (!front_internal::SeenByCode(call.y(static_cast<int>(k)))) continue;
    RequireMet(capture_, here->second, call.line(), "a backward of the user's");
  }
  if (!call.iteration().empty()) CheckIterations(call);
}

// A user's backward in a loop runs in every iteration if its output contributes
// to a result that receives a gradient in each iteration: from outside in the
// last one, from the next iteration before that.
void GradArrivals::CheckIterations(const GraphTapeNode& loop) const {
  using Flows = GraphTapeNode::Flows;
  const GraphTapeNode::Iteration& by = loop.iteration();
  const size_t n = by.size();
  std::vector<bool> each(n), some(n);
  for (size_t k = 0; k < n; ++k) {
    auto here = when_.find({&loop, static_cast<int>(k), nullptr});
    some[k] = here != when_.end();
    each[k] = some[k] && here->second.always;
  }
  auto flows = [&](const std::vector<bool>& from, size_t to, Flows least) {
    for (size_t i = 0; i < n; ++i) {
      if (from[i] && by[i][to] >= least) return true;
    }
    return false;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t j = 0; j < n; ++j) {
      bool less = each[j] && !flows(each, j, Flows::kAlways);
      bool more = !some[j] && flows(some, j, Flows::kSometimes);
      if (less) each[j] = false;
      if (more) some[j] = true;
      changed = changed || less || more;
    }
  }
  const Node& node = *loop.y(0).node;
  for (const std::vector<bool>& results : front_internal::SeenInLoop(node)) {
    bool met = false, always = false;
    for (size_t k = 0; k < n; ++k) {
      met = met || (results[k] && some[k]);
      always = always || (results[k] && each[k]);
    }
    if (!met || always) continue;
    throw Error(Unimplemented(StrCat(
        "backward: a backward of the user's in the loop at ",
        loop.line().ToString(),
        " is not met by a gradient in every iteration, which a captured "
        "function does not know while it is recorded; wanted its result to "
        "flow into what the loop carries on")));
  }
}

void GradArrivals::CheckSeen(bool kept) {
  // The added boolean nodes are not on the tape, so `when_` does not grow here.
  for (const auto& [key, when] : std::map(when_)) {
    auto [node, output, leaf] = key;
    if (leaf && leaf->extra && !leaf->extra->hooks.empty()) {
      RequireMet(capture_, when, leaf->line, "the hook of a leaf made");
    }
    if (auto* call = CallSince(node, since_)) CheckSeen(*call, kept);
  }
}

}  // namespace sluice
