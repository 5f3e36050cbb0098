#include "sluice/front/function.h"

#include <chrono>
#include <list>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/front/capture.h"
#include "sluice/front/rows.h"
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

// Whether a value is made of another by ops that can write over it.
bool WritesOver(Value made, const Value& from) {
  while (made != from) {
    if (!made.node->op().in_place || made.index != 0) return false;
    made = made.node->input(0);
  }
  return true;
}

bool SameMemory(const Array& a, const Array& b) {
  const ArrayRep* base_a = a.rep()->base ? a.rep()->base : a.rep();
  const ArrayRep* base_b = b.rep()->base ? b.rep()->base : b.rep();
  return base_a == base_b || (a.buffer() && a.buffer() == b.buffer());
}

// The same elements under a count of their own: the step sees an array that is
// nobody else's and may write over it, which is the point.
Array GivenUp(const Array& array) {
  auto* keep = new Array(array);
  Ref<Buffer> memory = Buffer::Wrap(
      array.mutable_raw(), array.bytes(),
      [](void* kept) { delete static_cast<Array*>(kept); }, keep);
  return Array::Over(std::move(memory), array.dtype(), array.shape());
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
    Capture::Entry::Part part = Capture::Entry::Part::kWhole;
    bool overwritten = false;  // its new elements may be written over it
    const Array& array() const {
      if (!grad_of) return value->array;
      const EagerValue& grad = *grad_of->grad;
      switch (part) {
        case Capture::Entry::Part::kIndices:
          return grad.rows->indices->array;
        case Capture::Entry::Part::kValues:
          return grad.rows->values->array;
        default:
          return grad.array;
      }
    }
  };
  std::vector<Source> captured;
  std::vector<Capture::GradSeen> grads_seen;
  size_t num_results = 0;
  struct Landing {
    EagerRef target;
    bool grad;
    bool rows = false;  // two results: indices and values
  };
  std::vector<Landing> landings;  // of the results after the first ones
  std::vector<EagerRef> cleared;  // whose gradient is taken away

  // Gradients are where they were, and are missing where they were.
  bool Fits() const {
    for (const Capture::GradSeen& seen : grads_seen) {
      if (!seen.Still()) return false;
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
  auto value_of = [&](const Tensor& part) {
    return part.symbolic() ? part.value() : capture.At(part.eager()).now;
  };
  for (size_t i = 0; i < capture.entries().size(); ++i) {
    Tensor grad = capture.entries()[i].grad;
    if (!grad) continue;
    if (grad.is_sparse()) {
      value_of(grad.indices());
      value_of(grad.values());
    } else {
      value_of(grad);
    }
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
    bool rows = entry.grad.is_sparse();
    if (rows) fetches.push_back(value_of(entry.grad.indices()));
    fetches.push_back(value_of(rows ? entry.grad.values() : entry.grad));
    t.landings.push_back({entry.value, true, rows});
  }
  for (const Capture::Entry& entry : capture.entries()) {
    feeds.push_back(entry.arg);
    t.captured.push_back({entry.value, entry.grad_of, entry.part,
                          entry.written && WritesOver(entry.now, entry.arg)});
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
  for (size_t i = 0; i < trace.captured.size(); ++i) {
    if (!trace.captured[i].overwritten) continue;
    Array& own = feeds[args.size() + i];
    bool alone = own.contiguous();
    for (const Array& other : feeds) {
      alone = alone && (&other == &own || !SameMemory(own, other));
    }
    if (alone) own = GivenUp(own);
  }
  Status status =
      trace.master->RunProgram(*trace.program, feeds, &results, {}, nullptr);
  SourceLine line = SourceLine::From(where);
  auto note_write = [&](EagerValue& value) {
    WriteLog& log = value.writes();
    ++log.count;
    log.last = line;
  };
  if (!status.ok()) {
    // What stopped half way may have written.
    for (const Trace::Source& s : trace.captured) {
      if (s.overwritten) note_write(*s.value);
    }
    throw Error(status);
  }
  ++trace.info.calls;
  std::vector<Tensor> made;
  for (size_t i = 0; i < trace.num_results; ++i) {
    // What is also a tensor around the function, or a look into one, must not
    // change with it.
    Array result = std::move(results[i]);
    if (!result.unique()) result = ValueOrThrow(result.Clone());
    EagerRef value = MakeRef<EagerValue>(std::move(result));
    value->line = line;
    made.push_back(Tensor(std::move(value)));
  }
  size_t next = trace.num_results;
  for (const Trace::Landing& landing : trace.landings) {
    Array array = std::move(results[next++]);
    EagerValue& target = *landing.target;
    if (landing.rows) {
      target.grad = MakeRows(MakeRef<EagerValue>(std::move(array)),
                             MakeRef<EagerValue>(std::move(results[next++])),
                             target.array.dtype(), target.array.shape());
      continue;
    }
    if (landing.grad) {
      target.grad = MakeRef<EagerValue>(std::move(array));
      continue;
    }
    // Who looks at the old memory must see the new elements.
    bool watched = target.view || (target.log && !target.log->unique());
    if (array.raw() == target.array.raw()) {
      // Written in place.
    } else if (watched && target.array.shape() == array.shape()) {
      CopyRegion(array.dtype(), array.shape(), array.raw(), array.strides(),
                 target.array.mutable_raw(), target.array.strides());
    } else {
      target.array = std::move(array);
    }
    note_write(target);
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
