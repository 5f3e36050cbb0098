#include "sluice/trace/function_trace.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <unordered_map>
#include <unordered_set>

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
#include "sluice/trace/made_apart.h"
#include "sluice/trace/random_place.h"
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

// Whether running the node has visible effects; for a call, whether its
// function has. A function definition alone has none. `checks`: an op that may
// fail counts.
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

// Effects without a result must happen as well.
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

// Whether the region only computes, in a few ops.
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

// Resources of functions live as long as the process.
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

std::string Trace::OtherWay(const std::vector<Tensor>& args) const {
  if (decisions.empty()) return {};
  ArrayList fed, now;
  for (size_t i = 0; i < sources.size(); ++i) {
    fed.push_back(ArrayAt(i, args));
  }
  Status status = master->RunProgram(*decider, fed, &now, {}, nullptr);
  // Code after a value that decides otherwise may not even be defined.
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

namespace {

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

// The arguments that the code sees: values of the new graph, with views of
// other arguments added last.
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

// Chooses the fetches of a run, and which of them gradients flow through.
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
  // A step over tasks is not short, however few ops it has.
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
  // Ops that name no other task run on the task of the call.
  Building::Current().device = t.signature.task;
  // Values computed during the recording, for decisions, are computed here.
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
