#include "sluice/trace/function_trace.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <unordered_map>
#include <unordered_set>

#include "sluice/autodiff/gradients.h"
#include "sluice/autodiff/rows_lost.h"
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/device/devices.h"
#include "sluice/eager/autocast.h"
#include "sluice/eager/call_device.h"
#include "sluice/eager/default_float.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/scope.h"
#include "sluice/eager/shared_outside.h"
#include "sluice/eager/task_calls.h"
#include "sluice/eager/view_write.h"
#include "sluice/graph/traverse.h"
#include "sluice/op/carries_gradient.h"
#include "sluice/passes/raise_for_gradients.h"
#include "sluice/trace/graph_reach.h"
#include "sluice/trace/made_apart.h"
#include "sluice/trace/random_place.h"
#include "sluice/trace/rows_on_ways.h"
#include "sluice/trace/trace_finish.h"
#include "sluice/trace/unused_calls.h"

namespace sluice::front_internal {

namespace {

Signature::Arg ArgOf(const std::vector<Tensor>& args, size_t i) {
  const EagerRef& value = args[i].eager();
  if (value->view_of) RefreshView(*value);
  const Array& array = value->array;
  Signature::Arg arg{array.dtype(), array.rank(), value->tracked(),
                     !value->producer};
  for (size_t k = 0; k < i && arg.same_as < 0; ++k) {
    if (args[k].eager() == value) arg.same_as = static_cast<int>(k);
  }
  arg.memory = array.memory();
  return arg;
}

}  // namespace

Signature SignatureOf(const std::vector<Tensor>& args) {
  Signature s;
  s.records = EagerMode::Current().grad;
  s.several_devices = Devices::Count() > 1;
  s.autocast = autocast_type();
  s.default_float = DefaultFloat();
  if (const std::string* task = TaskScopes::Current()) s.task = *task;
  for (size_t i = 0; i < args.size(); ++i) s.args.push_back(ArgOf(args, i));
  return s;
}

bool Signature::Is(const std::vector<Tensor>& tensors) const {
  if (tensors.size() != args.size()) return false;
  if (records != EagerMode::Current().grad) return false;
  if (several_devices != (Devices::Count() > 1)) return false;
  if (autocast != autocast_type()) return false;
  if (default_float != DefaultFloat()) return false;
  const std::string* now = TaskScopes::Current();
  if (now ? task != *now : !task.empty()) return false;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!(ArgOf(tensors, i) == args[i])) return false;
  }
  return true;
}

std::string Text(const Signature::Arg& arg) {
  std::string type = TypeText(arg.dtype, PartialShape::OfRank(arg.rank));
  return arg.memory ? StrCat(type, " on ", DeviceNameOf(arg.memory)) : type;
}

namespace {

// Whether running the node is seen elsewhere; of a call, whether its function
// is seen to act. A function by itself does nothing. `checks`: to fail counts.
bool Acts(const Node& node, std::unordered_set<const Node*>& called,
          bool checks = true) {
  const OpRecord& op = node.op();
  if (!checks && op.role == Role::kAssert) return false;
  if (op.effect == Effect::kWrite || !op.global_effect.empty() || op.async() ||
      (op.stateful && node.num_outputs() == 0)) {
    return true;
  }
  if (op.flow == Flow::kFunction) return false;
  const Node* owner = op.flow == Flow::kCall ? node.input(0).node : &node;
  if (owner != &node && !called.insert(owner).second) return false;
  for (const auto& region : owner->regions()) {
    for (const Node* inner : region->nodes()) {
      if (Acts(*inner, called, checks)) return true;
    }
  }
  return false;
}

// Effects without a result must happen all the same.
std::vector<Node*> EffectsOf(const Graph& graph) {
  std::vector<Node*> effects;
  for (Node* node : graph.root().nodes()) {
    std::unordered_set<const Node*> called;
    if (Acts(*node, called)) effects.push_back(node);
  }
  return effects;
}

bool DrawsApart(const Region& region) {
  for (const Node* node : region.nodes()) {
    if (node->op().random && !DrawsAtPlace(*node)) return true;
    for (const auto& inner : node->regions()) {
      if (DrawsApart(*inner)) return true;
    }
  }
  return false;
}

bool Waits(const Region& region) {
  for (const Node* node : region.nodes()) {
    if (node->op().async()) return true;
    for (const auto& inner : node->regions()) {
      if (Waits(*inner)) return true;
    }
  }
  return false;
}

// Whether it only computes, in a few steps.
bool FewOps(const Region& region) {
  constexpr size_t kFew = 16;
  if (region.nodes().size() > kFew) return false;
  for (const Node* node : region.nodes()) {
    const OpRecord& op = node->op();
    if (!op.structural && !op.pure()) return false;
    if (!node->regions().empty() || op.flow != Flow::kNone) return false;
  }
  return true;
}

// State that functions make lives as long as the process.
std::shared_ptr<ResourceManager> SharedResources() {
  static auto* resources =
      new std::shared_ptr<ResourceManager>(std::make_shared<ResourceManager>());
  return *resources;
}

}  // namespace

const EagerRef& Trace::TensorAt(size_t source,
                                const std::vector<Tensor>& args) const {
  const Source& s = sources[source];
  if (!s.value) return args[source].eager();
  if (s.grad_of < 0) return s.value;
  return TensorAt(static_cast<size_t>(s.grad_of), args)->grad;
}

const Array& Trace::ArrayAt(size_t source,
                            const std::vector<Tensor>& args) const {
  const EagerValue& value = *TensorAt(source, args);
  switch (sources[source].part) {
    case Capture::Entry::Part::kIndices:
      return value.rows->indices->array;
    case Capture::Entry::Part::kValues:
      return value.rows->values->array;
    default:
      return value.array;
  }
}

bool Trace::IsShort(const std::vector<Tensor>& args) const {
  constexpr int64_t kFew = 1024;
  if (!few_ops || decider) return false;
  int64_t elements = 0;
  for (size_t i = 0; i < sources.size() && elements <= kFew; ++i) {
    elements += ArrayAt(i, args).num_elements();
  }
  return elements <= kFew;
}

namespace {

// Of `args`, which ones the elements of some values are made from.
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

// Whether some values are made of what a node older than id `limit` has made
// of `args`, in a way that gradients flow.
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

std::string Trace::OtherWay(const std::vector<Tensor>& args) const {
  if (decisions.empty()) return {};
  ArrayList fed, now;
  for (size_t i = 0; i < sources.size(); ++i) {
    fed.push_back(ArrayAt(i, args));
  }
  Status status = master->RunProgram(*decider, fed, &now, {}, nullptr);
  // What comes after a value that decides otherwise may not even be defined.
  if (!status.ok()) return "values that decide are others";
  for (size_t i = 0; i < decisions.size(); ++i) {
    const Array& then = decisions[i].then;
    Result<Array> here = OnHost(now[i]);
    if (here.ok() && here->shape() == then.shape() &&
        std::memcmp(here->raw(), then.raw(), then.bytes()) == 0) {
      continue;
    }
    return StrCat("what decides at ", decisions[i].line.ToString(),
                  " is not what it was in the last trace");
  }
  return {};
}

Status Trace::RunStep(std::span<Array> arrays, const RunOptions& options,
                      ArrayList* results) {
  return tasks
             ? tasks->Run(feeds, arrays, fetches, targets, options, results)
             : master->RunProgram(*program, arrays, results, options, nullptr);
}

Status Trace::RunStep(const TraceGradient& gradient, std::span<Array> arrays,
                      const RunOptions& options, ArrayList* results) {
  return tasks ? tasks->Run(gradient.feeds, arrays, gradient.fetches, {},
                            options, results)
               : master->RunProgram(*gradient.program, arrays, results, options,
                                    nullptr);
}

Result<const TraceGradient*> Trace::KnownGradient(
    const std::vector<Value>& ys, const std::vector<bool>& wants,
    bool records) const {
  // Rules that read what is another each time would make it grow for ever.
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
    // An argument that the code has found around it, too, is that in every
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
    // Where it could be seen when the code was recorded, values decide.
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
  // Rules may run code of the user's, which reads what it read before.
  Capture capture(graph);
  NoGrad off;
  // What it draws is its own, unless it is told a place.
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

namespace {

// "x: f32[?], training=False".
std::string SignatureText(const FunctionCore::VariantRef& variant,
                          const Signature& signature) {
  std::vector<std::string> texts;
  const std::vector<std::string>& names = variant->names;
  for (size_t i = 0; i < signature.args.size(); ++i) {
    texts.push_back(StrCat(i < names.size() ? names[i] + ": " : "",
                           Text(signature.args[i])));
  }
  if (!variant->fixed.empty()) texts.push_back(variant->fixed);
  return Join(texts, ", ");
}

// What the code is given for its arguments: values of the new graph, those that
// are looks into others after those.
std::vector<Tensor> ArgumentsInside(Trace& t, Capture& capture,
                                    const std::vector<Tensor>& args,
                                    const Trace::How& how) {
  auto looks = [&](const Tensor& arg) {
    return std::find(how.looks.begin(), how.looks.end(), arg.eager().get()) !=
           how.looks.end();
  };
  std::vector<Tensor> inside(args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    PartialShape shape = PartialShape::OfRank(args[i].rank());
    if (looks(args[i])) {
      capture.AddLookArgument(args[i].eager(), shape);
    } else {
      inside[i] = Tensor(capture.AddArgument(args[i].eager(), shape));
    }
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (inside[i].defined()) continue;
    inside[i] = Tensor(capture.LookArgument(i));
    t.argument_looks.emplace_back(args, i);
  }
  return inside;
}

// What a run fetches, and which of it gradients flow through.
void ChooseFetches(Trace& t, const Capture& capture,
                   std::vector<std::pair<size_t, EagerRef>> flowing) {
  for (const Trace::Fetched& f : t.fetched) {
    t.fetches.push_back(f.value);
    bool recorded = f.flows && !f.over && !f.leaf;
    t.outputs.push_back(recorded ? t.num_outputs++ : -1);
  }
  std::erase_if(flowing, [&](auto& of) { return t.outputs[of.first] < 0; });
  for (auto& [place, value] : flowing) {
    place = static_cast<size_t>(t.outputs[place]);
  }
  t.made_apart = MadeApart(static_cast<size_t>(t.num_outputs), flowing);
  t.fetches.insert(t.fetches.end(), t.told.begin(), t.told.end());
  std::vector<Node*> unused =
      UnusedCallsThatMayFail(*t.graph, t.fetches, capture.calls());
  t.targets = EffectsOf(*t.graph);
  t.targets.insert(t.targets.end(), unused.begin(), unused.end());
  for (const Node* node : t.targets) {
    std::unordered_set<const Node*> called;
    t.acts = t.acts || Acts(*node, called, /*checks=*/false);
  }
}

void Compile(Trace& t, const std::string& name) {
  t.master = std::make_unique<LocalMaster>(
      *t.graph, MasterOptions{.resources = SharedResources(),
                              .placement = {.results_to_host = false}});
  t.program = ValueOrThrow(t.master->ProgramFor(t.feeds, t.fetches, t.targets,
                                                ExecutorChoice::kAuto));
  if (IsForTasks(t.program->graph())) {
    ThrowIfError(CheckNoState(name, t.program->graph()));
    t.tasks = std::make_unique<TaskRuns>(*t.graph);
  }
  const Region& root = t.program->graph().root();
  t.random = DrawsApart(root);
  // A step over tasks is not short, however few its ops are.
  t.few_ops = !t.tasks && FewOps(root);
  t.waits = Waits(root);
}

void KeepDecisions(Trace& t, const Decisions& decisions) {
  if (decisions.made().empty()) return;
  t.decisions = decisions.made();
  std::vector<Value> values;
  for (const Decisions::One& one : t.decisions) values.push_back(one.value);
  t.decider = ValueOrThrow(
      t.master->ProgramFor(t.feeds, values, {}, ExecutorChoice::kAuto));
}

}  // namespace

std::shared_ptr<Trace> Trace::Record(const FunctionCore::VariantRef& variant,
                                     const std::string& name,
                                     const std::vector<Tensor>& args,
                                     std::source_location where,
                                     const How& how) {
  auto began = std::chrono::steady_clock::now();
  auto made = std::make_shared<Trace>();
  Trace& t = *made;
  t.variant = variant;
  t.signature = SignatureOf(args);
  t.info.signature = SignatureText(variant, t.signature);
  t.by_values = how.by_values;

  t.graph = std::make_shared<Graph>(name);
  if (variant->opened) variant->opened(t.graph);
  GraphScope building(*t.graph);
  // Ops that name no other task are for that of the call.
  Building::Current().device = t.signature.task;
  // What runs while it is recorded, to decide by, runs here.
  InThisProcess here;
  Capture capture(t.graph);
  capture.set_sizes(
      std::make_shared<SizeGuards>(*t.graph, args, variant->names));
  capture.set_shared(how.shared);
  std::vector<Tensor> inside = ArgumentsInside(t, capture, args, how);
  capture.set_ways_decided(variant->undecided && !variant->constructs);
  std::optional<Decisions> decisions;
  if (variant->undecided) {
    decisions.emplace(capture, how.by_values,
                      how.by_values && variant->constructs);
  }
  BodyResult given = variant->body(inside);
  t.note = std::move(given.note);
  t.once = given.once;
  std::vector<std::pair<size_t, EagerRef>> flowing =
      FinishTrace(t, capture, given.tensors, name, where);
  t.facts = capture.facts();
  for (const Capture::ElementsRead& read : capture.elements_read()) {
    t.elements_read.push_back({read, SharedOutside::SumOf(read.value->array)});
  }
  t.sizes = capture.sizes();
  ChooseFetches(t, capture, std::move(flowing));
  Compile(t, name);
  if (decisions) KeepDecisions(t, *decisions);
  t.info.nodes = t.graph->num_nodes();
  t.info.captured = static_cast<int64_t>(t.sources.size() - t.num_args);
  std::chrono::duration<double, std::milli> took =
      std::chrono::steady_clock::now() - began;
  t.info.milliseconds = took.count();
  t.undo = capture.TakeUndo();
  return made;
}

}  // namespace sluice::front_internal
