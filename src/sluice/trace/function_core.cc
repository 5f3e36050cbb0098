#include "sluice/trace/function_core.h"

#include <list>
#include <mutex>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/scope.h"
#include "sluice/graph/text_printer.h"
#include "sluice/trace/function_run.h"
#include "sluice/trace/made_once.h"

namespace sluice::front_internal {

struct FunctionCore::State {
  std::shared_ptr<MadeOnce> made = std::make_shared<MadeOnce>();
  FunctionOptions options;
  // Guards no member: calls with effects run one after another
  // (trace/function_run.h). A call passes its lock on as a std::unique_lock.
  std::mutex turns;
  Mutex mu;
  // Most recently used first.
  std::list<std::shared_ptr<Trace>> traces SL_GUARDED_BY(mu);

  // The matching trace, which is moved to the front; or null.
  std::shared_ptr<Trace> Find(const VariantRef& variant,
                              const std::vector<Tensor>& args) SL_REQUIRES(mu);
  // The same if the lock is free and the most recent trace has few ops.
  std::shared_ptr<Trace> FindShort(const VariantRef& variant,
                                   const std::vector<Tensor>& args)
      SL_EXCLUDES(mu);
  std::shared_ptr<Trace> TraceFor(const VariantRef& variant,
                                  const std::vector<Tensor>& args,
                                  std::source_location where) SL_REQUIRES(mu);
  std::string Why(const FunctionVariant& variant, const Signature& wanted,
                  const std::vector<Tensor>& args) const SL_REQUIRES(mu);
};

std::string FunctionCore::State::Why(const FunctionVariant& variant,
                                     const Signature& wanted,
                                     const std::vector<Tensor>& args) const {
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
  if (wanted.records != last.records) {
    parts.push_back(wanted.records
                        ? "gradients are recorded; in the last trace they "
                          "were not"
                        : "gradients are not recorded; in the last trace they "
                          "were");
  }
  if (wanted.several_devices != last.several_devices) {
    parts.push_back("there are more devices than in the last trace");
  }
  if (wanted.default_float != last.default_float) {
    parts.push_back(StrCat(
        "floats without a type are ", DTypeName(wanted.default_float),
        "; in the last trace they were ", DTypeName(last.default_float)));
  }
  if (wanted.task != last.task) {
    auto where = [](const std::string& task) {
      return task.empty() ? std::string("no task's scope")
                          : StrCat("the scope of \"", task, "\"");
    };
    parts.push_back(StrCat("it is called in ", where(wanted.task),
                           "; the last trace was in ", where(last.task)));
  }
  for (size_t i = 0; i < wanted.args.size(); ++i) {
    const Signature::Arg &now = wanted.args[i], &then = last.args[i];
    if (now == then) continue;
    std::string name =
        StrCat("argument ",
               i < variant.names.size() ? variant.names[i] : std::to_string(i));
    if (Text(now) != Text(then)) {
      parts.push_back(
          StrCat(name, " is ", Text(now), "; the last trace has ", Text(then)));
    } else if (now.requires_grad != then.requires_grad) {
      parts.push_back(StrCat(name, now.requires_grad
                                       ? " requires gradients; the last "
                                         "trace's did not"
                                       : " requires no gradients; the last "
                                         "trace's did"));
    } else {
      parts.push_back(StrCat(name, now.same_as != then.same_as
                                       ? " is another argument, too, or was"
                                       : " is a leaf or was one"));
    }
  }
  if (parts.empty()) {
    std::string sizes = before->sizes->Why(args);
    if (!sizes.empty()) parts.push_back(std::move(sizes));
  }
  for (const Capture::Fact& fact : before->facts) {
    if (!fact.Still()) {
      parts.push_back(StrCat(fact.name, " is another than in the last trace"));
      break;  // a model's modes change all at once
    }
  }
  if (!parts.empty()) return Join(parts, ", ");
  Misfit misfit = before->MisfitOf(args);
  if (misfit != Misfit::kNone) return std::string(MisfitText(misfit));
  return before->OtherWay(args);
}

std::shared_ptr<Trace> FunctionCore::State::Find(
    const VariantRef& variant, const std::vector<Tensor>& args) {
  for (auto it = traces.begin(); it != traces.end(); ++it) {
    const Trace& trace = **it;
    if (trace.variant != variant || !trace.signature.Is(args) ||
        !trace.Fits(args) || !trace.sizes->Fit(args) ||
        !trace.OtherWay(args).empty()) {
      continue;
    }
    if (it != traces.begin()) traces.splice(traces.begin(), traces, it);
    return traces.front();
  }
  return nullptr;
}

std::shared_ptr<Trace> FunctionCore::State::TraceFor(
    const VariantRef& variant, const std::vector<Tensor>& args,
    std::source_location where) {
  if (std::shared_ptr<Trace> found = Find(variant, args)) return found;
  std::string why = Why(*variant, SignatureOf(args), args);
  bool by_values = false;
  for (const auto& trace : traces) {
    by_values = by_values || (trace->variant == variant && trace->by_values);
  }
  // Arguments that share memory with what the code writes are found by
  // recording without them first.
  std::vector<const EagerValue*> looks;
  auto record = [&](bool values) {
    for (;;) {
      std::vector<EagerRef> shared;
      try {
        return Trace::Record(variant, options.name, args, where,
                             {values, looks, &shared});
      } catch (...) {
        if (!AddLooks(args, shared, looks)) throw;
        if (variant->undecided) variant->undecided();
      }
    }
  };
  std::shared_ptr<Trace> made;
  if (!by_values) {
    std::string because;
    try {
      made = record(false);
    } catch (...) {
      if (variant->undecided) because = variant->undecided();
      if (because.empty()) throw;
    }
    if (!made) why += StrCat("; values decide, because ", because);
  }
  if (!made) made = record(true);
  if (made->once) return made;
  traces.push_front(std::move(made));
  traces.front()->info.why = std::move(why);
  if (traces.size() > std::max<size_t>(1, options.max_traces)) {
    traces.pop_back();
  }
  return traces.front();
}

namespace {

// For the exception being handled: why the code does not become one graph for
// all values; empty if the error is the user's own mistake.
std::string WhyNotOneGraph() {
  try {
    throw;
  } catch (const Error& e) {
    return e.code() == Code::kUnimplemented ? e.what() : "";
  } catch (...) {
    return "";
  }
}

}  // namespace

FunctionCore::FunctionCore(FunctionOptions options)
    : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
}

FunctionCore::FunctionCore(FunctionBody body, FunctionOptions options)
    : FunctionCore(std::move(options)) {
  FunctionVariant variant{.body = std::move(body), .why = "the first call"};
  if (!state_->options.one_graph) variant.undecided = &WhyNotOneGraph;
  variant.constructs = true;
  only_ = Add(std::move(variant));
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
  // Inside another function, or with values of a graph, the code becomes part
  // of that function or graph.
  if (Building::Current().graph) return true;
  for (const Tensor& a : args) {
    if (a.symbolic()) return true;
  }
  // A trap checks every result, and a plan does not keep them all.
  return EagerMode::Current().nan_trap;
}

BodyResult FunctionCore::Call(const VariantRef& variant,
                              const std::vector<Tensor>& args,
                              std::source_location where) {
  if (Inside(args)) return variant->body(args);

  for (;;) {
    std::shared_ptr<Trace> trace;
    {
      MutexLock lock(state_->mu);
      trace = state_->TraceFor(variant, args, where);
    }
    TraceRun run(trace, args, state_->options.name, where);
    if (!trace->takes_turns()) return run.Run();
    std::unique_lock<std::mutex> turn(state_->turns);
    // A call that has just ended may have changed what the trace relies on.
    if (!trace->once && !trace->Fits(args)) continue;
    try {
      return run.Run(&turn);
    } catch (...) {
      if (trace->undo.empty()) throw;
      // The run had no effect, so what its code has made can be discarded.
      MutexLock lock(state_->mu);
      state_->traces.remove(trace);
      for (size_t i = trace->undo.size(); i-- > 0;) trace->undo[i]();
      trace->undo.clear();
      throw;
    }
  }
}

// Thread-safety analysis cannot express a scope that may not hold the lock.
std::shared_ptr<Trace> FunctionCore::State::FindShort(
    const VariantRef& variant,
    const std::vector<Tensor>& args) SL_NO_THREAD_SAFETY_ANALYSIS {
  std::unique_lock<std::mutex> lock(mu.native(), std::try_to_lock);
  if (!lock || traces.empty() || !traces.front()->few_ops) return nullptr;
  return Find(variant, args);
}

std::optional<BodyResult> FunctionCore::CallIfShort(
    const VariantRef& variant, const std::vector<Tensor>& args,
    std::source_location where) {
  if (Inside(args)) return std::nullopt;
  std::shared_ptr<Trace> trace = state_->FindShort(variant, args);
  if (!trace || !trace->IsShort(args)) return std::nullopt;
  std::unique_lock<std::mutex> turn;
  if (trace->takes_turns()) {
    turn = {state_->turns, std::try_to_lock};
    if (!turn || !trace->Fits(args)) return std::nullopt;
  }
  return TraceRun(std::move(trace), args, state_->options.name, where, true)
      .Run();
}

std::vector<TraceInfo> FunctionCore::traces() const {
  MutexLock lock(state_->mu);
  std::vector<TraceInfo> all;
  for (const auto& t : state_->traces) {
    all.insert(all.begin(), t->info);
    all.front().calls = t->calls.load(std::memory_order_relaxed);
  }
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
  for (size_t i = 0; i < trace.sources.size(); ++i) {
    feeds.push_back(trace.ArrayAt(i, args));
  }
  if (trace.tasks) {
    return ValueOrThrow(
        trace.tasks->Explain(trace.feeds, feeds, trace.fetches, trace.targets));
  }
  return ValueOrThrow(trace.program->PlanFor(feeds))->Explain();
}

MemoryForecast FunctionCore::PlanMemory(const VariantRef& variant,
                                        const std::vector<Tensor>& args) {
  MutexLock lock(state_->mu);
  std::shared_ptr<Trace> kept =
      state_->TraceFor(variant, args, std::source_location::current());
  std::vector<Array> feeds;
  for (size_t i = 0; i < kept->sources.size(); ++i) {
    feeds.push_back(kept->ArrayAt(i, args));
  }
  if (kept->tasks) {
    return ValueOrThrow(kept->tasks->PlanMemory(kept->feeds, feeds,
                                                kept->fetches, kept->targets));
  }
  return ValueOrThrow(kept->program->PlanMemory(feeds));
}

}  // namespace sluice::front_internal
