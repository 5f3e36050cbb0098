#include "sluice/front/debug.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/base/timer.h"
#include "sluice/front/debug_recorder.h"
#include "sluice/graph/node.h"
#include "sluice/passes/prune.h"
#include "sluice/reference/reference_interpreter.h"
#include "sluice/session/local_master.h"

namespace sluice {

namespace {

std::string PlaceText(const std::vector<DebugPlace>& places) {
  std::string text;
  for (auto it = places.rbegin(); it != places.rend(); ++it) {
    StrAppend(text, text.empty() ? "" : ", ");
    if (it->loop) {
      StrAppend(text, "iteration ", it->iteration, " of \"", it->name, "\"");
    } else {
      StrAppend(text, "call \"", it->name, "\"");
    }
  }
  return text;
}

std::vector<int64_t> LoopIterations(const std::vector<DebugPlace>& places) {
  std::vector<int64_t> iterations;
  for (const DebugPlace& p : places) {
    if (p.loop) iterations.push_back(p.iteration);
  }
  return iterations;
}

std::string ListText(const std::vector<int64_t>& numbers) {
  std::string text = "{";
  for (size_t i = 0; i < numbers.size(); ++i) {
    StrAppend(text, i ? ", " : "", numbers[i]);
  }
  return text + "}";
}

// Stops a run from outside: when the session closes, at the deadline, or when
// the caller cancels.
class Stop {
 public:
  Stop(LocalMaster& master, const RunOptions& options)
      : cancellation_(std::make_shared<Cancellation>()),
        outer_(options.cancellation),
        active_(master, cancellation_) {
    auto step = cancellation_;
    if (active_.refused()) step->Cancel(Cancelled("the session is closed"));
    if (int64_t ms = options.timeout_ms; ms > 0) {
      // Made here: on the timer's thread nothing may fail.
      Status late = DeadlineExceeded(
          StrCat("the step did not end within its deadline of ", ms, " ms"));
      timer_ = Timer::Default().After(ms * 1'000'000,
                                      [step, late] { step->Cancel(late); });
    }
    auto stop = [step, outer = outer_] { step->Cancel(outer->status()); };
    if (outer_ && !outer_->Register(&token_, stop)) {
      step->Cancel(outer_->status());
      outer_ = nullptr;
    }
  }
  ~Stop() {
    if (timer_) Timer::Default().Cancel(timer_);
    if (outer_) outer_->Deregister(token_);
  }
  Cancellation* cancellation() const { return cancellation_.get(); }

 private:
  std::shared_ptr<Cancellation> cancellation_, outer_;
  LocalMaster::Active active_;
  Timer::Id timer_ = 0;
  Cancellation::Token token_ = 0;
};

// A watch names an output of some node, inside of regions, too.
void CheckWatches(const Graph& graph, const std::vector<std::string>& watches) {
  for (const std::string& name : watches) {
    Result<Value> value = graph.FindValue(name);
    if (!value.ok()) throw Error(value.status());
    if (value->node->is_args()) {
      throw Error(InvalidArgument(
          StrCat("watch \"", name, "\" is fed; wanted what a node computes")));
    }
  }
}

struct Request {
  std::vector<Value> fetches, feeds;
  std::vector<Array> values;
  std::vector<Node*> targets;
};

Request RequestOf(Graph& graph, const std::vector<Fetch>& fetches,
                  const Feeds& feeds, const std::vector<Operation>& targets) {
  Request r;
  for (const Fetch& f : fetches) {
    r.fetches.push_back(ValueOrThrow(f.In(graph)));
  }
  for (const Feed& feed : feeds) {
    Value to = ValueOrThrow(feed.to.In(graph));
    Array value = feed.value.value();
    if (value && value.dtype() != to.dtype()) {
      if (Result<Array> as = feed.value.As(to.dtype()); as.ok()) value = *as;
    }
    r.feeds.push_back(to);
    r.values.push_back(std::move(value));
  }
  for (const Operation& t : targets) r.targets.push_back(&t.node());
  return r;
}

}  // namespace

std::string DebugEvent::ToString() const {
  std::string text = StrCat(node, " = ", op);
  if (!line.empty()) StrAppend(text, " at ", line);
  if (!places.empty()) StrAppend(text, ", ", PlaceText(places));
  const std::vector<Array>& values = outputs.empty() ? inputs : outputs;
  for (size_t i = 0; i < values.size(); ++i) {
    StrAppend(text, i ? ", " : ": ");
    if (values[i]) {
      StrAppend(text, values[i].TypeText(), " ", values[i].ToString(8));
    } else {
      StrAppend(text, "dead");
    }
  }
  return text;
}

const std::vector<DebugResult::Seen>* DebugResult::seen(
    std::string_view name) const {
  for (const Watched& w : watched) {
    if (w.name == name) return &w.seen;
  }
  return nullptr;
}

const Array& DebugResult::fetch(std::string_view name,
                                const std::vector<int64_t>& iterations) const {
  const std::vector<Seen>* all = seen(name);
  if (!all) {
    throw Error(InvalidArgument(StrCat("\"", name,
                                       "\" was not watched; wanted it among "
                                       "DebugOptions::watches")));
  }
  for (const Seen& once : *all) {
    if (LoopIterations(once.places) != iterations) continue;
    if (once.value) return once.value;
    throw Error(InvalidArgument(
        StrCat("\"", name, "\" is dead in iterations ", ListText(iterations))));
  }
  std::string last = "was not computed at all";
  if (!all->empty()) {
    last = StrCat("was computed ", all->size(), " times, last in ",
                  ListText(LoopIterations(all->back().places)));
  }
  throw Error(
      OutOfRange(StrCat("\"", name, "\" was not computed in iterations ",
                        ListText(iterations), "; it ", last)));
}

DebugResult run_debug(Session& session, const std::vector<Fetch>& fetches,
                      const Feeds& feeds, const DebugOptions& options,
                      const std::vector<Operation>& targets) {
  LocalMaster& master = session.master();
  Graph& graph = session.graph();
  Request request = RequestOf(graph, fetches, feeds, targets);
  std::unique_ptr<Graph> pruned;
  {
    MutexLock lock(graph.mu());
    CheckWatches(graph, options.watches);
    pruned = ValueOrThrow(
        Prune(graph, request.feeds, request.fetches, request.targets));
  }
  Program program(std::move(pruned), {});
  for (size_t i = 0; i < request.values.size(); ++i) {
    Status fits = program.CheckFeed(static_cast<int>(i), request.values[i]);
    if (!fits.ok()) throw Error(fits);
  }
  DebugResult result;
  front_internal::DebugRecorder recorder(options, result);
  Stop stop(master, options.run);
  RandomState random =
      options.run.random ? *options.run.random : master.NextStep();
  ResourceManager step_resources;
  StepContext step;
  step.step_id = random.calls;
  step.seed = random.seed;
  step.resources = &master.resources();
  step.step_resources = &step_resources;
  step.cancellation = stop.cancellation();
  Result<std::vector<Array>> results =
      Interpret(program.graph(), request.values, step, &recorder);
  recorder.Finish();
  if (results.ok()) {
    result.fetches = std::move(*results);
  } else if (!recorder.stopped()) {
    result.error = results.status().message();
    result.stopped = recorder.last();
  }
  return result;
}

}  // namespace sluice
