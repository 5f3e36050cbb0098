#include "sluice/front/function.h"

#include <chrono>
#include <list>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/front/capture.h"
#include "sluice/front/scope.h"
#include "sluice/session/local_master.h"
#include "sluice/tensor/strided.h"

namespace sluice::front_internal {

namespace {

struct Signature {
  std::vector<std::pair<DType, int>> args;
  bool operator==(const Signature&) const = default;
};

Signature SignatureOf(const std::vector<Tensor>& args) {
  Signature s;
  for (const Tensor& a : args) s.args.emplace_back(a.dtype(), a.rank());
  return s;
}

std::string Text(const std::pair<DType, int>& arg) {
  return TypeText(arg.first, PartialShape::OfRank(arg.second));
}

// Effects without a result must happen all the same.
std::vector<Node*> EffectsOf(const Graph& graph) {
  std::vector<Node*> effects;
  for (Node* node : graph.root().nodes()) {
    const OpRecord& op = node->op();
    bool acts = op.effect == Effect::kWrite || !op.global_effect.empty() ||
                op.async() || (op.stateful && node->num_outputs() == 0);
    if (acts) effects.push_back(node);
  }
  return effects;
}

// State that functions make lives as long as the process.
std::shared_ptr<ResourceManager> SharedResources() {
  static auto* resources =
      new std::shared_ptr<ResourceManager>(std::make_shared<ResourceManager>());
  return *resources;
}

}  // namespace

// One recording. What is fed: the arguments, then what was captured. What comes
// back: the results, then what was written, then gradients.
struct Trace {
  Signature signature;
  TraceInfo info;
  std::unique_ptr<Graph> graph;
  std::unique_ptr<LocalMaster> master;
  std::shared_ptr<Program> program;
  struct Source {
    EagerRef value;
    EagerRef grad_of;  // set: the gradient this tensor has now is fed instead
    const Array& array() const {
      return grad_of ? grad_of->grad->array : value->array;
    }
  };
  std::vector<Source> captured;
  std::vector<Capture::GradSeen> grads_seen;
  size_t num_results = 0;
  struct Landing {
    EagerRef target;
    bool grad;
  };
  std::vector<Landing> landings;  // of the results after the first ones
  std::vector<EagerRef> cleared;  // whose gradient is taken away

  // Gradients are where they were, and are missing where they were.
  bool Fits() const {
    for (const Capture::GradSeen& seen : grads_seen) {
      if (seen.there != static_cast<bool>(seen.value->grad)) return false;
    }
    return true;
  }
};

struct FunctionCore::State {
  FunctionBody body;
  FunctionOptions options;
  Mutex mu;
  std::list<Trace> traces;  // used last: first

  Trace& TraceFor(const std::vector<Tensor>& args, std::source_location where);
  std::string Why(const Signature& wanted) const;
  Trace Record(const std::vector<Tensor>& args, std::source_location where);
};

std::string FunctionCore::State::Why(const Signature& wanted) const {
  if (traces.empty()) return "the first call";
  const Signature& last = traces.front().signature;
  if (last.args.size() != wanted.args.size()) {
    return StrCat(wanted.args.size(), " arguments; the last trace has ",
                  last.args.size());
  }
  std::vector<std::string> parts;
  for (size_t i = 0; i < wanted.args.size(); ++i) {
    if (wanted.args[i] == last.args[i]) continue;
    parts.push_back(StrCat("argument ", i, " is ", Text(wanted.args[i]),
                           "; the last trace has ", Text(last.args[i])));
  }
  if (parts.empty()) {
    return "tensors around the function have gradients they had not, or lack "
           "some they had";
  }
  return Join(parts, ", ");
}

Trace FunctionCore::State::Record(const std::vector<Tensor>& args,
                                  std::source_location where) {
  auto began = std::chrono::steady_clock::now();
  Trace t;
  t.signature = SignatureOf(args);
  t.info.why = Why(t.signature);
  std::vector<std::string> texts;
  for (const auto& arg : t.signature.args) texts.push_back(Text(arg));
  t.info.signature = Join(texts, ", ");

  t.graph = std::make_unique<Graph>(options.name);
  Graph& graph = *t.graph;
  std::vector<Value> feeds, fetches;
  std::vector<Tensor> inside;
  for (size_t i = 0; i < args.size(); ++i) {
    PartialShape shape = PartialShape::OfRank(args[i].rank());
    MutexLock lock(graph.mu());
    Value arg = ValueOrThrow(graph.AddArg(graph.root(), StrCat("arg_", i),
                                          {args[i].dtype(), shape}));
    feeds.push_back(arg);
    inside.push_back(Tensor(graph, arg));
  }
  GraphScope building(graph);
  Capture capture(graph);
  std::vector<Tensor> results = body(inside);
  t.num_results = results.size();
  for (const Tensor& r : results) {
    if (!r) {
      throw Error(InvalidArgument(StrCat("[", options.name,
                                         "] a result is a Tensor that holds "
                                         "nothing"))
                      .WithLine(StrCat("at ", SourceLine::From(where))));
    }
    fetches.push_back(r.symbolic() ? r.value() : capture.At(r.eager()).now);
  }
  // A gradient that is an imperative tensor is captured by asking for it.
  for (size_t i = 0; i < capture.entries().size(); ++i) {
    Tensor grad = capture.entries()[i].grad;
    if (grad && !grad.symbolic()) capture.At(grad.eager());
  }
  for (Capture::Entry& entry : capture.entries()) {
    if (!entry.written) continue;
    fetches.push_back(entry.now);
    t.landings.push_back({entry.value, false});
  }
  for (Capture::Entry& entry : capture.entries()) {
    if (!entry.grad_set) continue;
    if (!entry.grad) {
      t.cleared.push_back(entry.value);
      continue;
    }
    fetches.push_back(entry.grad.symbolic()
                          ? entry.grad.value()
                          : capture.At(entry.grad.eager()).now);
    t.landings.push_back({entry.value, true});
  }
  for (const Capture::Entry& entry : capture.entries()) {
    feeds.push_back(entry.arg);
    t.captured.push_back({entry.value, entry.grad_of});
  }
  t.grads_seen = capture.grads_seen();
  std::vector<Node*> targets = EffectsOf(graph);
  t.master = std::make_unique<LocalMaster>(
      graph, MasterOptions{.resources = SharedResources()});
  t.program = ValueOrThrow(
      t.master->ProgramFor(feeds, fetches, targets, ExecutorChoice::kAuto));
  t.info.nodes = graph.num_nodes();
  t.info.captured = static_cast<int64_t>(t.captured.size());
  std::chrono::duration<double, std::milli> took =
      std::chrono::steady_clock::now() - began;
  t.info.milliseconds = took.count();
  return t;
}

Trace& FunctionCore::State::TraceFor(const std::vector<Tensor>& args,
                                     std::source_location where) {
  Signature wanted = SignatureOf(args);
  for (auto it = traces.begin(); it != traces.end(); ++it) {
    if (!(it->signature == wanted) || !it->Fits()) continue;
    if (it != traces.begin()) traces.splice(traces.begin(), traces, it);
    return traces.front();
  }
  traces.push_front(Record(args, where));
  if (traces.size() > std::max<size_t>(1, options.max_traces)) {
    traces.pop_back();
  }
  return traces.front();
}

FunctionCore::FunctionCore(FunctionBody body, FunctionOptions options)
    : state_(std::make_unique<State>()) {
  state_->body = std::move(body);
  state_->options = std::move(options);
}

FunctionCore::~FunctionCore() = default;

std::vector<Tensor> FunctionCore::Call(const std::vector<Tensor>& args,
                                       std::source_location where) {
  // Inside another function, or with values of a graph, its code is part of
  // that one.
  bool inside = Building::Current().graph != nullptr;
  for (const Tensor& a : args) inside = inside || a.symbolic();
  if (inside) return state_->body(args);

  MutexLock lock(state_->mu);
  Trace& trace = state_->TraceFor(args, where);
  std::vector<Array> feeds, results;
  for (const Tensor& a : args) feeds.push_back(a.array());
  for (const Trace::Source& s : trace.captured) feeds.push_back(s.array());
  Status status =
      trace.master->RunProgram(*trace.program, feeds, &results, {}, nullptr);
  if (!status.ok()) throw Error(status);
  ++trace.info.calls;
  SourceLine line = SourceLine::From(where);
  std::vector<Tensor> made;
  for (size_t i = 0; i < trace.num_results; ++i) {
    EagerRef value = MakeRef<EagerValue>(std::move(results[i]));
    value->line = line;
    made.push_back(Tensor(std::move(value)));
  }
  for (size_t i = 0; i < trace.landings.size(); ++i) {
    const Trace::Landing& landing = trace.landings[i];
    Array& array = results[trace.num_results + i];
    if (landing.grad) {
      landing.target->grad = MakeRef<EagerValue>(std::move(array));
      continue;
    }
    EagerValue& target = *landing.target;
    // Who looks at the old memory must see the new elements.
    bool watched = target.view || (target.log && !target.log->unique());
    if (watched && target.array.shape() == array.shape()) {
      CopyRegion(array.dtype(), array.shape(), array.raw(), array.strides(),
                 target.array.mutable_raw(), target.array.strides());
    } else {
      target.array = std::move(array);
    }
    WriteLog& log = target.writes();
    ++log.count;
    log.last = line;
  }
  for (const EagerRef& value : trace.cleared) value->grad = {};
  return made;
}

std::vector<TraceInfo> FunctionCore::traces() const {
  MutexLock lock(state_->mu);
  std::vector<TraceInfo> all;
  for (const Trace& t : state_->traces) all.insert(all.begin(), t.info);
  return all;
}

std::string FunctionCore::Explain(const std::vector<Tensor>& args) {
  MutexLock lock(state_->mu);
  Trace& trace = state_->TraceFor(args, std::source_location::current());
  std::vector<Array> feeds;
  for (const Tensor& a : args) feeds.push_back(a.array());
  for (const Trace::Source& s : trace.captured) feeds.push_back(s.array());
  return ValueOrThrow(trace.program->PlanFor(feeds))->Explain();
}

}  // namespace sluice::front_internal
