#include "sluice/session/worker.h"

#include <utility>

#include "sluice/base/caught.h"
#include "sluice/base/clock.h"
#include "sluice/base/strings.h"
#include "sluice/step/step_pool.h"

namespace sluice {

struct LocalWorker::Running {
  std::shared_ptr<Program> program;
  std::shared_ptr<ResourceManager> resources;
  std::shared_ptr<const Plan> plan;
  std::unique_ptr<Step> step;
  std::unique_ptr<DrivenStep> driven;
  std::shared_ptr<Rendezvous> rendezvous;
  std::shared_ptr<Cancellation> cancellation;
  Cancellation::Token token = 0;
  int64_t number = 0;  // of the step
  std::function<void(TaskTrace)> traced;
  StepStats stats;
  Done done;
};

LocalWorker::LocalWorker(std::string task, StepQueue& queue, WorkerPool* pool)
    : task_(std::move(task)),
      queue_(queue),
      pool_(pool),
      resources_(std::make_shared<ResourceManager>()) {}

LocalWorker::~LocalWorker() = default;

Status LocalWorker::InTask(const Status& status) const {
  return status.WithLine(StrCat("in task ", task_));
}

Status LocalWorker::Gone() const {
  return Status(Code::kUnavailable, StrCat("task ", task_, " has disappeared"));
}

Result<PieceId> LocalWorker::Register(std::unique_ptr<Graph> piece,
                                      ExecutorChoice executor) {
  MutexLock lock(mu_);
  if (gone_) return Gone();
  PlanOptions options;
  options.executor = executor;
  options.resources = resources_.get();
  PieceId id = next_piece_++;
  pieces_[id] = std::make_shared<Program>(std::move(piece), options);
  return id;
}

Result<std::string> LocalWorker::Explain(std::unique_ptr<Graph> piece,
                                         ExecutorChoice executor) const {
  std::shared_ptr<ResourceManager> resources;
  {
    MutexLock lock(mu_);
    if (gone_) return Gone();
    resources = resources_;
  }
  PlanOptions options;
  options.executor = executor;
  options.resources = resources.get();
  Program program(std::move(piece), options);
  SL_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, program.GenericPlan());
  SL_ASSIGN_OR_RETURN(std::string notes, program.PassNotes({}));
  return plan->Explain() + notes;
}

void LocalWorker::Forget(PieceId piece) {
  std::shared_ptr<Program> last;  // goes with no lock held
  MutexLock lock(mu_);
  auto it = pieces_.find(piece);
  if (it == pieces_.end()) return;
  last = std::move(it->second);
  pieces_.erase(it);
}

void LocalWorker::Run(PieceRun run, Done done) {
  std::shared_ptr<Rendezvous> rendezvous = run.rendezvous;
  Status status = Guarded([&] { return Start(std::move(run), done); });
  if (status.ok()) return;
  status = Guarded([&] { return InTask(status); });
  rendezvous->Abort(status);
  done(status, {});
}

// `done` is taken only when nothing can fail any more.
Status LocalWorker::Start(PieceRun run, Done& done) {
  auto running = std::make_unique<Running>();
  {
    MutexLock lock(mu_);
    if (gone_) return Gone();
    auto it = pieces_.find(run.piece);
    if (it == pieces_.end()) {
      return NotFound(StrCat("piece ", run.piece, " is not registered; wanted ",
                             "one that was and has not been forgotten"));
    }
    running->program = it->second;
    running->resources = resources_;
  }
  Program& program = *running->program;
  if (run.feeds.size() != static_cast<size_t>(program.num_feeds())) {
    return InvalidArgument(StrCat("the piece is fed ", run.feeds.size(),
                                  " values; wanted ", program.num_feeds()));
  }
  for (size_t i = 0; i < run.feeds.size(); ++i) {
    SL_RETURN_IF_ERROR(program.CheckFeed(static_cast<int>(i), run.feeds[i]));
  }
  SL_ASSIGN_OR_RETURN(running->plan, program.PlanFor(run.feeds));
  running->step = AcquireStep(*running->plan);
  running->rendezvous = run.rendezvous;
  running->number = run.step;
  Running& r = *running;
  r.driven =
      std::make_unique<DrivenStep>(queue_, *r.step, [this, &r] { End(r); });
  StepRequest request;
  request.resources = r.resources.get();
  request.pool = pool_;
  request.step_id = run.random.calls;
  request.seed = run.random.seed;
  request.rendezvous = r.rendezvous.get();
  request.wake = r.driven->wake();
  r.traced = std::move(run.traced);
  if (r.traced) request.stats = &r.stats;
  r.step->Begin(request);
  r.cancellation = r.step->cancellation();
  // Whoever fails tells the others by way of the rendezvous.
  r.cancellation->Register(
      &r.token, [this, rendezvous = r.rendezvous,
                 cancellation = std::weak_ptr(r.cancellation)] {
        if (auto c = cancellation.lock()) {
          rendezvous->Abort(Guarded([&] { return InTask(c->status()); }));
        }
      });
  bool gone = false;
  {
    MutexLock lock(mu_);
    running_.emplace(run.step, std::move(running));
    r.done = std::move(done);
    gone = gone_;
  }
  // From here on End answers, whatever happens.
  Status fed = Guarded([&]() -> Status {
    for (size_t i = 0; i < run.feeds.size(); ++i) {
      r.step->Feed(static_cast<int>(i), std::move(run.feeds[i]));
    }
    return gone ? Gone() : OkStatus();
  });
  if (!fed.ok()) r.cancellation->Cancel(fed);
  r.driven->Start();
  return OkStatus();
}

// The step is quiet.
void LocalWorker::End(Running& r) {
  (void)r.cancellation->Deregister(r.token);
  std::vector<Array> results;
  Status status = Guarded([&]() -> Status {
    SL_RETURN_IF_ERROR(r.step->Finish());
    for (size_t i = 0; i < r.step->results().size(); ++i) {
      if (!r.step->results()[i]) return r.step->MissingResult(i);
      results.push_back(std::move(r.step->results()[i]));
    }
    return OkStatus();
  });
  for (Array& value : r.step->results()) value = Array();
  if (!status.ok()) {
    results.clear();
    status = Guarded([&] { return InTask(status); });
    r.rendezvous->Abort(status);
  }
  if (r.traced) {
    // Without memory for it the step is as it is.
    (void)Guarded([&]() -> Status {
      double ago =
          static_cast<double>(CycleCount() - r.stats.start) * NanosPerCycle();
      TaskTrace trace = TraceOf(r.stats, *r.plan);
      trace.task = task_;
      trace.began_ns = static_cast<double>(NowNanos()) - ago;
      r.traced(std::move(trace));
      return OkStatus();
    });
  }
  ReleaseStep(*r.plan, std::move(r.step));
  std::unique_ptr<Running> last;
  {
    MutexLock lock(mu_);
    auto [begin, end] = running_.equal_range(r.number);
    for (auto it = begin; it != end; ++it) {
      if (it->second.get() != &r) continue;
      last = std::move(it->second);
      running_.erase(it);
      break;
    }
  }
  last->done(std::move(status), std::move(results));
}

void LocalWorker::Abort(int64_t step, const Status& why) {
  // Callbacks of a cancellation may come back here: not under the lock.
  std::vector<std::shared_ptr<Cancellation>> found;
  {
    MutexLock lock(mu_);
    auto [begin, end] = running_.equal_range(step);
    for (auto it = begin; it != end; ++it) {
      found.push_back(it->second->cancellation);
    }
  }
  for (const auto& c : found) c->Cancel(why);
}

void LocalWorker::Disappear() {
  std::vector<std::shared_ptr<Cancellation>> found;
  std::unordered_map<PieceId, std::shared_ptr<Program>> pieces;
  {
    MutexLock lock(mu_);
    gone_ = true;
    pieces.swap(pieces_);
    for (const auto& [step, r] : running_) found.push_back(r->cancellation);
    resources_ = std::make_shared<ResourceManager>();
  }
  for (const auto& c : found) c->Cancel(Gone());
}

void LocalWorker::Return() {
  MutexLock lock(mu_);
  gone_ = false;
}

ResourceManager& LocalWorker::resources() {
  MutexLock lock(mu_);
  return *resources_;
}

size_t LocalWorker::num_pieces() const {
  MutexLock lock(mu_);
  return pieces_.size();
}

size_t LocalWorker::num_running() const {
  MutexLock lock(mu_);
  return running_.size();
}

}  // namespace sluice
