#include "sluice/front/function.h"

#include <list>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/front/function_node.h"
#include "sluice/front/grad_mode.h"
#include "sluice/front/list_call.h"
#include "sluice/front/made_once.h"
#include "sluice/front/random_calls.h"
#include "sluice/front/rows.h"
#include "sluice/front/same_memory.h"
#include "sluice/front/scope.h"
#include "sluice/graph/text_printer.h"
#include "sluice/tensor/strided.h"

namespace sluice::front_internal {

namespace {

// The same elements under a count of their own: the step sees an array that is
// nobody else's and may write over it, which is the point.
Array GivenUp(const Array& array) {
  auto* keep = new Array(array);
  Ref<Buffer> memory = Buffer::Wrap(
      array.mutable_raw(), array.bytes(),
      [](void* kept) { delete static_cast<Array*>(kept); }, keep);
  return Array::Over(std::move(memory), array.dtype(), array.shape());
}

}  // namespace

struct FunctionCore::State {
  std::shared_ptr<MadeOnce> made = std::make_shared<MadeOnce>();
  FunctionOptions options;
  Mutex mu;
  std::list<std::shared_ptr<Trace>> traces;  // used last: first

  std::shared_ptr<Trace> TraceFor(const VariantRef& variant,
                                  const std::vector<Tensor>& args,
                                  std::source_location where);
  std::string Why(const FunctionVariant& variant,
                  const Signature& wanted) const;
};

std::string FunctionCore::State::Why(const FunctionVariant& variant,
                                     const Signature& wanted) const {
  if (traces.empty()) return "the first call";
  const Trace* before = nullptr;
  for (const auto& trace : traces) {
    if (!before && trace->variant.get() == &variant) before = trace.get();
  }
  if (!before) return variant.why;
  const Signature& last = before->signature;
  if (last.args.size() != wanted.args.size()) {
    return StrCat(wanted.args.size(), " arguments; the last trace has ",
                  last.args.size());
  }
  std::vector<std::string> parts;
  for (size_t i = 0; i < wanted.args.size(); ++i) {
    if (wanted.args[i] == last.args[i]) continue;
    parts.push_back(StrCat(
        "argument ",
        i < variant.names.size() ? variant.names[i] : std::to_string(i), " is ",
        Text(wanted.args[i]), "; the last trace has ", Text(last.args[i])));
  }
  for (const Capture::Fact& fact : before->facts) {
    if (!fact.Still()) {
      parts.push_back(StrCat(fact.name, " is another than in the last trace"));
      break;  // a model's modes change all at once
    }
  }
  if (parts.empty()) {
    return "tensors around the function have gradients they had not, or lack "
           "some they had";
  }
  return Join(parts, ", ");
}

std::shared_ptr<Trace> FunctionCore::State::TraceFor(
    const VariantRef& variant, const std::vector<Tensor>& args,
    std::source_location where) {
  for (auto it = traces.begin(); it != traces.end(); ++it) {
    const Trace& trace = **it;
    if (trace.variant != variant || !trace.signature.Is(args) ||
        !trace.Fits()) {
      continue;
    }
    if (it != traces.begin()) traces.splice(traces.begin(), traces, it);
    return traces.front();
  }
  std::string why = Why(*variant, SignatureOf(args));
  traces.push_front(Trace::Record(variant, options.name, args, where));
  traces.front()->info.why = std::move(why);
  if (traces.size() > std::max<size_t>(1, options.max_traces)) {
    traces.pop_back();
  }
  return traces.front();
}

FunctionCore::FunctionCore(FunctionOptions options)
    : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
}

FunctionCore::FunctionCore(FunctionBody body, FunctionOptions options)
    : FunctionCore(std::move(options)) {
  only_ = Add({.body = std::move(body), .why = "the first call"});
}

FunctionCore::~FunctionCore() = default;

FunctionCore::VariantRef FunctionCore::Add(FunctionVariant variant) const {
  variant.body = [body = std::move(variant.body),
                  made = state_->made](const std::vector<Tensor>& args) {
    MadeOnce::Run run(made);
    return body(args);
  };
  return std::make_shared<const FunctionVariant>(std::move(variant));
}

void FunctionCore::Drop(const VariantRef& variant) {
  MutexLock lock(state_->mu);
  state_->traces.remove_if(
      [&](const auto& trace) { return trace->variant == variant; });
}

const std::shared_ptr<MadeOnce>& FunctionCore::made() const {
  return state_->made;
}

bool FunctionCore::Inside(std::span<const Tensor> args) {
  // Inside another function, or with values of a graph, its code is part of
  // that one.
  if (Building::Current().graph) return true;
  for (const Tensor& a : args) {
    if (a.symbolic()) return true;
  }
  // A trap looks at every result, which a plan does not keep.
  return EagerMode::Current().nan_trap;
}

BodyResult FunctionCore::Call(const VariantRef& variant,
                              const std::vector<Tensor>& args,
                              std::source_location where) {
  if (Inside(args)) return variant->body(args);

  MutexLock lock(state_->mu);
  std::shared_ptr<Trace> kept = state_->TraceFor(variant, args, where);
  Trace& trace = *kept;
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
  bool acts = !trace.landings.empty() || !trace.cleared.empty();
  bool records = EagerMode::Current().grad && !acts;
  // What is recorded feeds its gradient the same.
  std::vector<Array> again;
  if (records) again = feeds;
  // Its place in the process's stream of random numbers, not one of its own:
  // what is saved and restored with random_state() holds for it, too.
  RunOptions run;
  if (trace.random) run.random = NextRandomCall();
  for (const EagerRef& value : trace.dropped) value->grad = {};
  Status status =
      trace.master->RunProgram(*trace.program, feeds, &results, run, nullptr);
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
    if (result.dtype() == DType::kList) {
      std::vector<Array> around;
      for (const Tensor& a : args) around.push_back(a.array());
      for (const Trace::Source& s : trace.captured) around.push_back(s.array());
      result = front_internal::ApartFrom(std::move(result), around);
    }
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

  // What writes is a step of its own; everything else can be differentiated.
  if (!records) return {std::move(made), trace.note};
  auto node =
      MakeRef<FunctionTapeNode>(line, state_->options.name, variant->body);
  bool tracked = false;
  auto lead = [&](EagerValue& value) {
    bool flows = kFloats.contains(value.array.dtype());
    node->edges.push_back(flows ? EdgeTo(value) : TapeEdge());
    tracked = tracked || node->edges.back();
  };
  for (const Tensor& a : args) lead(*a.eager());
  for (const Trace::Source& s : trace.captured) lead(*s.value);
  if (!tracked) return {std::move(made), trace.note};
  node->SetDepth();
  node->trace = kept;
  node->feeds = std::move(again);
  node->run = run;
  node->num_args = args.size();
  node->num_results = made.size();
  for (const Tensor& r : made) node->result_shapes.push_back(r.array().shape());
  for (size_t i = 0; i < made.size(); ++i) {
    if (!kFloats.contains(made[i].dtype())) continue;
    made[i].eager()->producer = node;
    made[i].eager()->output = static_cast<int>(i);
  }
  return {std::move(made), trace.note};
}

std::vector<TraceInfo> FunctionCore::traces() const {
  MutexLock lock(state_->mu);
  std::vector<TraceInfo> all;
  for (const auto& t : state_->traces) all.insert(all.begin(), t->info);
  return all;
}

std::string FunctionCore::GraphText(const VariantRef& variant,
                                    const std::vector<Tensor>& args) {
  MutexLock lock(state_->mu);
  return PrintGraph(
      *state_->TraceFor(variant, args, std::source_location::current())->graph);
}

std::string FunctionCore::Explain(const VariantRef& variant,
                                  const std::vector<Tensor>& args) {
  MutexLock lock(state_->mu);
  std::shared_ptr<Trace> kept =
      state_->TraceFor(variant, args, std::source_location::current());
  Trace& trace = *kept;
  std::vector<Array> feeds;
  for (const Tensor& a : args) feeds.push_back(a.array());
  for (const Trace::Source& s : trace.captured) feeds.push_back(s.array());
  return ValueOrThrow(trace.program->PlanFor(feeds))->Explain();
}

}  // namespace sluice::front_internal
