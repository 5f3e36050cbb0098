// Trace: the gradient of what a captured function has recorded, as a separate
// program, and the destinations of gradients.
#include <algorithm>
#include <unordered_set>

#include "sluice/autodiff/gradients.h"
#include "sluice/autodiff/rows_lost.h"
#include "sluice/base/strings.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/scope.h"
#include "sluice/graph/traverse.h"
#include "sluice/op/carries_gradient.h"
#include "sluice/passes/raise_for_gradients.h"
#include "sluice/trace/function_trace.h"
#include "sluice/trace/graph_reach.h"
#include "sluice/trace/rows_on_ways.h"

namespace sluice::front_internal {

namespace {

// By argument in `args`: whether elements of `values` depend on it.
std::vector<bool> Reads(const std::vector<Value>& args,
                        const std::vector<Value>& values) {
  std::unordered_set<Value, ValueHash> met(values.begin(), values.end());
  std::vector<Value> open(values.begin(), values.end());
  std::unordered_set<const Node*> seen;
  while (!open.empty()) {
    Value v = open.back();
    open.pop_back();
    met.insert(v);
    if (v.node->is_args() || v.node->op().shape_only) continue;
    if (!seen.insert(v.node).second) continue;
    for (const Value& in : InputsWithCaptures(*v.node)) open.push_back(in);
  }
  std::vector<bool> reads;
  for (const Value& arg : args) reads.push_back(met.count(arg) > 0);
  return reads;
}

// Whether some values depend, in a way that gradients flow, on results that a
// node older than id `limit` computed from `args`.
bool FlowsThrough(int limit, const std::vector<Value>& args,
                  const std::vector<Value>& values) {
  std::vector<Value> open(values.begin(), values.end()), met;
  std::unordered_set<const Node*> seen;
  while (!open.empty()) {
    Value v = open.back();
    open.pop_back();
    if (v.node->is_args() || !kDifferentiable.contains(v.dtype())) continue;
    if (!v.node->op().grad && v.node->regions().empty()) continue;
    if (!seen.insert(v.node).second) continue;
    if (v.node->id() < limit) {
      met.push_back(v);
      continue;
    }
    for (const Value& in : InputsWithCaptures(*v.node)) open.push_back(in);
  }
  for (bool reads : Reads(args, met)) {
    if (reads) return true;
  }
  return false;
}

}  // namespace

void Trace::Say(TraceGradient& gradient, TraceGradient::There& there,
                const Value& when) {
  auto known = std::find(gradient.told.begin(), gradient.told.end(), when);
  there.when.push_back(static_cast<size_t>(known - gradient.told.begin()));
  if (known == gradient.told.end()) gradient.told.push_back(when);
}

void Trace::SayWhatIsThere(TraceGradient& gradient) const {
  gradient.there.assign(gradient.found.size(), {});
  auto say = [&](size_t source, const Value& when) {
    TraceGradient::There& there = gradient.there[source];
    if (when) {
      Say(gradient, there, when);
    } else {
      there.always = true;
    }
  };
  for (const Value& y : gradient.ys) {
    bool said = false;
    for (const Fetched& f : fetched) {
      if (f.value != y || !f.flows || !f.reach_said) continue;
      said = true;
      for (const auto& [source, when] : f.reach) say(source, when);
      break;
    }
    // Or it is itself a gradient.
    for (const TraceGradient& other : gradients_) {
      auto it = std::find(other.found.begin(), other.found.end(), y);
      if (said || !other.records || it == other.found.end()) continue;
      const auto& from =
          other.from[static_cast<size_t>(it - other.found.begin())];
      if (from.size() != gradient.there.size()) continue;
      said = true;
      for (size_t i = 0; i < from.size(); ++i) {
        if (from[i].always) say(i, {});
        for (size_t k : from[i].when) say(i, other.told[k]);
      }
    }
    if (said) continue;
    for (TraceGradient::There& t : gradient.there) t.always = true;
    return;
  }
}

Status Trace::SayWhatFrom(TraceGradient& gradient, std::vector<Value> fed) {
  for (size_t i = 0; i < fed.size(); ++i) fed[i] = TrackedFrom(i, fed[i]);
  GraphReach reach(*graph, fed, /*tells=*/true);
  for (const Value& flow : gradient.flows) {
    reach.AddFlow(flow, {.always = true});
  }
  gradient.from.assign(gradient.found.size(),
                       std::vector<TraceGradient::There>(fed.size()));
  for (size_t i = 0; i < gradient.found.size(); ++i) {
    if (!gradient.found[i]) continue;
    SL_ASSIGN_OR_RETURN(GraphReach::Sources sources,
                        reach.Of(gradient.found[i]));
    for (const auto& [source, truth] : sources) {
      if (source == GraphReach::kFlow) continue;
      TraceGradient::There& there =
          gradient.from[i][static_cast<size_t>(source)];
      there.always = truth.always;
      for (const Value& when : truth.any) Say(gradient, there, when);
    }
  }
  return OkStatus();
}

Result<const TraceGradient*> Trace::KnownGradient(
    const std::vector<Value>& ys, const std::vector<bool>& wants,
    bool records) const {
  // Rules that read a different value each time would let the graph grow
  // without bound.
  constexpr size_t kMost = 64;
  size_t stale = 0;
  for (const TraceGradient& known : gradients_) {
    if (known.ys != ys || known.wants != wants) continue;
    if (records && !known.records) continue;
    if (!known.holds || known.holds()) return &known;
    ++stale;
  }
  if (stale >= kMost) {
    return Unimplemented(StrCat(
        "a hook or a backward of the user's reads what is another each time, ",
        stale, " times so far; wanted it among the inputs, as a tensor"));
  }
  return nullptr;
}

void Trace::KnowSources(Capture& capture) const {
  for (size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].grad_of >= 0) continue;
    // An argument that the code has also captured is the same tensor in every
    // call.
    const EagerRef& met = i < num_args ? sources[i].same : sources[i].value;
    if (met) capture.Know(met, feeds[i]);
  }
}

Status Trace::AddFlows(TraceGradient& made) {
  Region& root = graph->root();
  for (const Value& y : made.ys) {
    SL_ASSIGN_OR_RETURN(
        Value flow,
        graph->AddArg(root, StrCat("flow_", root.num_args()), y.type()));
    made.flows.push_back(flow);
    made.feeds.push_back(flow);
  }
  return OkStatus();
}

Result<std::vector<Value>> Trace::FindGradients(const std::vector<Value>& fed,
                                                TraceGradient& made) {
  std::vector<Value> from = made.ys, to, indices;
  std::vector<size_t> which;
  for (size_t i = 0; i < fed.size(); ++i) {
    if (!made.wants[i] || !kDifferentiable.contains(fed[i].dtype())) continue;
    to.push_back(TrackedFrom(i, fed[i]));
    which.push_back(i);
  }
  SL_RETURN_IF_ERROR(RaiseForGradients(*graph, from, to));
  RowsLost lost;
  SL_ASSIGN_OR_RETURN(std::vector<GradientValue> found,
                      GradientsOrRows(*graph, from, to, made.flows,
                                      {.none_when_unconnected = true}));
  made.found.resize(fed.size());
  made.rows.resize(fed.size());
  for (size_t k = 0; k < which.size(); ++k) {
    if (!found[k]) continue;
    bool rows = found[k].rows();
    // If the recorded call could see it, decisions are made by value.
    if (!rows && lost.Has(to[k]) && which[k] < sources.size() &&
        sources[which[k]].leaf && !DenseOnAllWays(*graph, to[k])) {
      return Unimplemented(StrCat(
          "whether the gradient of ", to[k].ToString(), " (",
          to[k].type().ToString(),
          ") is sparse depends on the branch taken; wanted rows alone, or "
          "none, on every way"));
    }
    made.found[which[k]] = rows ? found[k].values : found[k].dense;
    made.fetches.push_back(made.found[which[k]]);
    if (!rows) continue;
    made.rows[which[k]] = found[k].indices;
    indices.push_back(found[k].indices);
  }
  made.fetches.insert(made.fetches.end(), indices.begin(), indices.end());
  return to;
}

Status Trace::AddGradient(const std::vector<Value>& fed, TraceGradient& made) {
  GraphScope building(*graph);
  // Rules may run user code, which reads the same tensors as before.
  Capture capture(graph);
  NoGrad off;
  // Its draws are separate, unless it is given a position.
  Capture::DrawsApart apart(&capture);
  KnowSources(capture);
  const size_t known_before = capture.entries().size();
  MutexLock lock(graph->mu());
  Building::Current().locked = graph.get();
  const int calls = graph->id_limit();  // of the function have ids below this
  made.feeds = fed;
  SL_RETURN_IF_ERROR(AddFlows(made));
  SL_ASSIGN_OR_RETURN(std::vector<Value> to, FindGradients(fed, made));
  for (size_t i = known_before; i < capture.entries().size(); ++i) {
    made.more.push_back(capture.entries()[i].value);
    made.more_args.push_back(capture.entries()[i].arg);
    made.feeds.push_back(capture.entries()[i].arg);
  }
  if (made.records) SL_RETURN_IF_ERROR(SayWhatFrom(made, made.feeds));
  made.reads = Reads(fed, made.fetches);
  made.through_calls = FlowsThrough(calls, to, made.fetches);
  return OkStatus();
}

Result<TraceGradient> Trace::Gradient(const std::vector<Value>& ys,
                                      const std::vector<Value>& fed,
                                      const std::vector<bool>& wants,
                                      bool records) {
  MutexLock one(mu_);
  SL_ASSIGN_OR_RETURN(const TraceGradient* known,
                      KnownGradient(ys, wants, records));
  if (known) return *known;
  std::unique_ptr<RulesWatch> watch;
  if (variant->watch_rules) watch = variant->watch_rules();
  TraceGradient made;
  made.ys = ys;
  made.wants = wants;
  made.records = records;
  SL_RETURN_IF_ERROR(AddGradient(fed, made));
  if (watch) made.holds = watch->Done();
  SayWhatIsThere(made);
  made.fetches.insert(made.fetches.end(), made.told.begin(), made.told.end());
  SL_ASSIGN_OR_RETURN(
      made.program,
      master->ProgramFor(made.feeds, made.fetches, {}, ExecutorChoice::kAuto));
  gradients_.push_back(made);
  return made;
}

}  // namespace sluice::front_internal
