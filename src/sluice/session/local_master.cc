#include "sluice/session/local_master.h"

#include "sluice/base/clock.h"
#include "sluice/base/interruption.h"
#include "sluice/base/strings.h"
#include "sluice/device/devices.h"
#include "sluice/passes/prune.h"
#include "sluice/passes/trap_nan.h"
#include "sluice/session/loop_report.h"
#include "sluice/session/op_times.h"
#include "sluice/session/stop_watch.h"
#include "sluice/state/loop_log.h"
#include "sluice/step/step_pool.h"

namespace sluice {

namespace {

LocalPlacement WithTimes(LocalPlacement placement) {
  if (!placement.times) placement.times = std::make_shared<OpTimes>();
  return placement;
}

// Feeds as programs take them: what is fed, and the values in that order.
struct Fed {
  explicit Fed(const FeedList& feeds) {
    values.reserve(feeds.size());
    arrays.reserve(feeds.size());
    for (const auto& [value, array] : feeds) {
      values.push_back(value);
      arrays.push_back(array);
    }
  }
  Status Check(const Program& program) const {
    for (size_t i = 0; i < arrays.size(); ++i) {
      SL_RETURN_IF_ERROR(program.CheckFeed(static_cast<int>(i), arrays[i]));
    }
    return OkStatus();
  }

  std::vector<Value> values;
  std::vector<Array> arrays;
};

}  // namespace

LocalMaster::LocalMaster(Graph& graph, MasterOptions options)
    : graph_(graph),
      pool_(options.pool ? options.pool : &WorkerPool::Default()),
      seed_(options.seed),
      resources_(options.resources ? std::move(options.resources)
                                   : std::make_shared<ResourceManager>()),
      placement_(WithTimes(std::move(options.placement))) {}

LocalMaster::~LocalMaster() { Close(); }

size_t LocalMaster::KeyHash::operator()(const Key& key) const {
  uint64_t h = 0x9e3779b97f4a7c15u;
  for (uint64_t w : key.words) h = (h ^ w) * 0xff51afd7ed558ccdu + (h >> 29);
  return h;
}

size_t LocalMaster::num_programs() const {
  MutexLock lock(mu_);
  return programs_.size();
}

Result<std::shared_ptr<Program>> LocalMaster::ProgramFor(
    std::span<const Value> feeds, std::span<const Value> fetches,
    std::span<Node* const> targets, ExecutorChoice executor, bool nan_trap) {
  // Nodes are known by address: the graph never removes one. The lists are
  // told apart by their lengths, which come first.
  Key key;
  key.words.reserve(4 + 2 * (feeds.size() + fetches.size()) + targets.size());
  key.words = {static_cast<uint64_t>(executor) << 1 | uint64_t{nan_trap},
               feeds.size(), fetches.size(), targets.size()};
  auto add = [&](const Value& v) {
    key.words.push_back(reinterpret_cast<uintptr_t>(v.node));
    key.words.push_back(static_cast<uint64_t>(v.index));
  };
  for (const Value& v : feeds) add(v);
  for (const Value& v : fetches) add(v);
  for (Node* t : targets) key.words.push_back(reinterpret_cast<uintptr_t>(t));

  {
    MutexLock lock(mu_);
    auto it = programs_.find(key);
    if (it != programs_.end()) return it->second;
  }
  // Made with no lock held: steps of other programs must not wait for it.
  std::unique_ptr<Graph> pruned;
  {
    MutexLock graph_lock(graph_.mu());
    SL_ASSIGN_OR_RETURN(pruned, Prune(graph_, feeds, fetches, targets));
  }
  if (nan_trap) SL_RETURN_IF_ERROR(TrapNan(*pruned).status());
  PlanOptions options;
  options.executor = executor;
  options.resources = resources_.get();
  options.threads = pool_->parallelism();
  options.measured_nanos = [times = placement_.times](const Node& node) {
    if (times->version() == 0) return -1.0;
    double seconds = times->Of(node, CpuDevice());
    return seconds < 0 ? seconds : seconds * 1e9;
  };
  auto program =
      std::make_shared<Program>(std::move(pruned), options, placement_);
  MutexLock lock(mu_);
  // Another thread was quicker and has made the same one.
  return programs_.emplace(std::move(key), std::move(program)).first->second;
}

Status LocalMaster::RunProgram(Program& program, std::span<Array> feeds,
                               ArrayList* results, const RunOptions& options,
                               RunMetadata* metadata) {
  if ((options.loops && metadata) || LoopReport::Current()) [[unlikely]] {
    return RunReporting(program, feeds, results, options, metadata);
  }
  return RunPlain(program, feeds, results, options, metadata);
}

Status LocalMaster::RunReporting(Program& program, std::span<Array> feeds,
                                 ArrayList* results, const RunOptions& options,
                                 RunMetadata* metadata) {
  SL_ASSIGN_OR_RETURN(std::shared_ptr<Program> reporting, program.Reporting());
  auto log = MakeRef<LoopLog>();
  std::vector<Array> all;
  for (Array& feed : feeds) all.push_back(std::move(feed));
  all.push_back(Array::Handle(Ref<ResourceBase>(log)));
  Status status = RunPlain(*reporting, all, results, options, metadata);
  std::vector<LoopUse> loops = log->loops();
  if (LoopReport* open = LoopReport::Current()) open->Add(loops);
  if (options.loops && metadata) metadata->loops = std::move(loops);
  return status;
}

Status LocalMaster::RunPlain(Program& program, std::span<Array> feeds,
                             ArrayList* results, const RunOptions& options,
                             RunMetadata* metadata) {
  // Before all that could be wrong with the step itself.
  if (closed_.load(std::memory_order_acquire)) {
    return Cancelled("the session is closed");
  }
  for (size_t i = 0; i < feeds.size(); ++i) {
    SL_RETURN_IF_ERROR(program.CheckFeed(static_cast<int>(i), feeds[i]));
  }
  const int64_t start = options.timeout_ms > 0 ? NowNanos() : 0;
  SL_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, program.PlanFor(feeds));
  SL_RETURN_IF_ERROR(Interruption::Check());
  std::unique_ptr<Step> step = AcquireStep(*plan);
  StepRequest request;
  request.resources = resources_.get();
  request.pool = pool_;
  RandomState random = options.random ? *options.random : NextStep();
  request.step_id = random.calls;
  request.seed = random.seed;
  bool traced = options.trace && metadata;
  std::optional<TimedRun> timed;
  if (traced) {
    metadata->stats = {};
    request.stats = &metadata->stats;
    timed.emplace(*plan);
  }
  step->Begin(request);
  Status status;
  {
    std::shared_ptr<Cancellation> keep;
    std::unique_ptr<StopWatch> watch;
    if (options.timeout_ms > 0 || options.cancellation) {
      keep = step->cancellation();
      watch = std::make_unique<StopWatch>(options, keep, start);
    }
    std::optional<Active> active;
    std::optional<Interruption::Running> stoppable;
    if (!options.brief) {
      active.emplace(*this, step->cancellation());
      stoppable.emplace(step->cancellation());
      if (active->refused()) step->Cancel(Cancelled("the session is closed"));
    }
    for (size_t i = 0; i < feeds.size(); ++i) {
      step->Feed(static_cast<int>(i), std::move(feeds[i]));
    }
    step->RunUntilQuiet();
    status = step->Finish();
  }
  if (status.ok()) {
    for (size_t i = 0; i < step->results().size(); ++i) {
      Array& value = step->results()[i];
      if (!value) {
        status = step->MissingResult(i);
        break;
      }
      results->push_back(std::move(value));
    }
  }
  for (Array& value : step->results()) value = Array();
  if (traced) {
    timed->Collect(metadata->stats, *placement_.times);
    metadata->rows = metadata->stats.Rows(*plan);
    metadata->chrome_trace = metadata->stats.ChromeTrace(*plan);
  }
  ReleaseStep(*plan, std::move(step));
  return status;
}

Result<std::vector<Array>> LocalMaster::Run(std::span<const Value> fetches,
                                            const FeedList& feeds,
                                            std::span<Node* const> targets,
                                            const RunOptions& options,
                                            RunMetadata* metadata) {
  Fed fed(feeds);
  SL_ASSIGN_OR_RETURN(std::shared_ptr<Program> program,
                      ProgramFor(fed.values, fetches, targets, options.executor,
                                 options.nan_trap));
  ArrayList results;
  SL_RETURN_IF_ERROR(
      RunProgram(*program, fed.arrays, &results, options, metadata));
  return std::vector<Array>(std::make_move_iterator(results.begin()),
                            std::make_move_iterator(results.end()));
}

Result<MemoryForecast> LocalMaster::PlanMemory(std::span<const Value> fetches,
                                               const FeedList& feeds,
                                               std::span<Node* const> targets) {
  Fed fed(feeds);
  SL_ASSIGN_OR_RETURN(
      std::shared_ptr<Program> program,
      ProgramFor(fed.values, fetches, targets, ExecutorChoice::kAuto));
  SL_RETURN_IF_ERROR(fed.Check(*program));
  return program->PlanMemory(fed.arrays);
}

Result<std::string> LocalMaster::Explain(std::span<const Value> fetches,
                                         const FeedList& feeds,
                                         std::span<Node* const> targets,
                                         ExecutorChoice executor) {
  Fed fed(feeds);
  SL_ASSIGN_OR_RETURN(std::shared_ptr<Program> program,
                      ProgramFor(fed.values, fetches, targets, executor));
  SL_RETURN_IF_ERROR(fed.Check(*program));
  SL_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan,
                      program->PlanFor(fed.arrays));
  SL_ASSIGN_OR_RETURN(std::string notes, program->PassNotes(fed.arrays));
  return plan->Explain() + notes;
}

void LocalMaster::Close() {
  // What a cancellation calls may be anybody's: not under the lock.
  std::vector<std::shared_ptr<Cancellation>> running;
  {
    MutexLock lock(active_mu_);
    closed_ = true;
    for (Active* a = active_; a; a = a->next_) {
      running.push_back(a->cancellation_);
    }
  }
  for (const auto& step : running) {
    step->Cancel(Cancelled("the session was closed"));
  }
}

LocalMaster::Active::Active(LocalMaster& master,
                            std::shared_ptr<Cancellation> cancellation)
    : master_(master), cancellation_(std::move(cancellation)) {
  MutexLock lock(master_.active_mu_);
  refused_ = master_.closed_;
  next_ = master_.active_;
  if (next_) next_->prev_ = this;
  master_.active_ = this;
}

LocalMaster::Active::~Active() {
  MutexLock lock(master_.active_mu_);
  (prev_ ? prev_->next_ : master_.active_) = next_;
  if (next_) next_->prev_ = prev_;
}

}  // namespace sluice
