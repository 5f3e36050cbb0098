#include "sluice/cluster/master_session.h"

#include <random>

#include "sluice/base/caught.h"
#include "sluice/base/clock.h"
#include "sluice/base/started_thread.h"
#include "sluice/base/strings.h"
#include "sluice/cluster/assign_tasks.h"
#include "sluice/cluster/background.h"
#include "sluice/cluster/explain_pieces.h"
#include "sluice/cluster/waiting_for.h"
#include "sluice/graph/binary_reader.h"
#include "sluice/graph/binary_writer.h"
#include "sluice/passes/raise_control_flow.h"

namespace sluice::cluster {

namespace {
constexpr size_t kMaxSeen = 100'000;
constexpr size_t kMaxEarly = 1000;
constexpr size_t kNobody = ~size_t{0};
}  // namespace

// The attached tasks, under one number.
struct MasterSession::Epoch {
  uint64_t number = 0;
  Mutex mu;
  std::map<std::string, std::shared_ptr<TaskLink>> links SL_GUARDED_BY(mu);

  bool Broken() {
    MutexLock lock(mu);
    for (const auto& [task, link] : links) {
      if (link->broken()) return true;
    }
    return false;
  }
};

// A graph whose pieces are registered.
struct MasterSession::Split {
  struct Piece {
    std::shared_ptr<TaskLink> link;
    uint64_t id = 0;
    std::vector<int> args, results;
  };
  ~Split() {
    for (const Piece& piece : pieces) {
      if (piece.id != 0) piece.link->Forget(piece.id);
    }
  }
  std::shared_ptr<Epoch> epoch;
  std::vector<Piece> pieces;
  size_t num_results = 0;
};

struct MasterSession::Prepared {
  std::unique_ptr<Graph> graph;
  uint32_t executor = 0;
  Mutex mu;
  std::shared_ptr<Split> split SL_GUARDED_BY(mu);
};

struct MasterSession::Step {
  uint64_t number = 0;
  uint64_t request = 0;
  std::shared_ptr<Split> split;
  RunDone done;
  int64_t began = 0;  // by our clock, if traced
  Timer::Id timer = 0;
  std::atomic<bool> finished{false};
  std::vector<RunResult> results;  // by piece; each written once
  std::atomic<size_t> left{0};
  Mutex mu;
  bool stopped SL_GUARDED_BY(mu) = false;
  Timer::Id last_wait SL_GUARDED_BY(mu) = 0;  // waits for answers after a stop
  Status cause SL_GUARDED_BY(mu);             // the first error that is a cause
  Status other SL_GUARDED_BY(mu);             // the first that is a consequence
};

MasterSession::MasterSession(uint64_t id, uint64_t seed,
                             const MasterPlace& place)
    : id_(id), place_(place), seed_(seed) {}

MasterSession::~MasterSession() = default;

// ---- Graphs ----

std::shared_ptr<MasterSession::Epoch> MasterSession::CurrentEpoch() {
  std::shared_ptr<Epoch> old;  // destroyed without a lock
  MutexLock lock(mu_);
  if (!epoch_ || epoch_->Broken()) {
    old = std::move(epoch_);
    std::random_device random;
    epoch_ = std::make_shared<Epoch>();
    epoch_->number = uint64_t{random()} << 32 | random();
  }
  return epoch_;
}

// All concurrently: a task that does not answer blocks until its timeout.
Status MasterSession::Attach(Epoch& epoch,
                             const std::vector<std::string>& tasks,
                             int64_t limit_ms) {
  using Attached = Result<std::shared_ptr<TaskLink>>;
  const ClusterSpec spec = place_.Spec();
  std::string known;
  for (const auto& [task, address] : spec.Tasks()) {
    StrAppend(known, known.empty() ? "" : ", ", task);
  }
  const std::string own = place_.worker->self().task;
  TransportOptions transport = place_.options;
  if (limit_ms > 0) {
    transport.attach_ms = std::min(transport.attach_ms, limit_ms);
  }
  std::vector<std::pair<std::string, std::shared_ptr<WaitingFor<Attached>>>>
      waiting;
  for (const std::string& task : tasks) {
    {
      MutexLock lock(epoch.mu);
      if (epoch.links.count(task)) continue;
    }
    auto answer = std::make_shared<WaitingFor<Attached>>();
    if (task == own) {
      answer->Bring(AttachLocal(*place_.worker, epoch.number));
    } else {
      std::string address = spec.AddressOf(task);
      if (address.empty()) {
        return InvalidArgument(StrCat("there is no task ", task,
                                      " in this cluster; there are ", known));
      }
      Background::Start([this, self = shared_from_this(), answer, task, address,
                         number = epoch.number, own, transport] {
        answer->Bring(Guarded([&] {
          return AttachRemote(task, address, number, own, *place_.transport,
                              transport);
        }));
      });
    }
    waiting.emplace_back(task, std::move(answer));
  }
  Status first;
  for (auto& [task, answer] : waiting) {
    Attached link = answer->Wait();
    if (!link.ok()) {
      if (first.ok()) first = link.status();
      continue;
    }
    MutexLock lock(epoch.mu);
    epoch.links[task] = *std::move(link);
  }
  return first;
}

namespace {

Status Unanswered(const TaskLink& link) {
  return DeadlineExceeded(StrCat("task ", link.info().task,
                                 " did not answer within the step's deadline"));
}

}  // namespace

Result<std::shared_ptr<MasterSession::Split>> MasterSession::Build(
    Prepared& prepared, std::shared_ptr<Epoch> epoch, int64_t limit_ms) {
  const std::string own = place_.worker->self().task;
  SL_ASSIGN_OR_RETURN(
      std::vector<TaskPiece> pieces,
      SplitByTask(*prepared.graph, AssignTasks(*prepared.graph, own)));
  std::vector<std::string> tasks;
  for (const TaskPiece& piece : pieces) tasks.push_back(piece.task);
  SL_RETURN_IF_ERROR(Attach(*epoch, tasks, limit_ms));
  auto split = std::make_shared<Split>();
  split->epoch = epoch;
  split->num_results = prepared.graph->root().results().size();
  RegisterGraph request;
  request.session = epoch->number;
  request.executor = prepared.executor;
  for (TaskPiece& piece : pieces) {
    MutexLock lock(epoch->mu);
    Split::Piece mine;
    mine.link = epoch->links.at(piece.task);
    mine.args = std::move(piece.args);
    mine.results = std::move(piece.results);
    request.tasks.push_back(mine.link->info());
    split->pieces.push_back(std::move(mine));
  }
  std::vector<std::shared_ptr<WaitingFor<Result<uint64_t>>>> answers;
  for (size_t p = 0; p < pieces.size(); ++p) {
    request.graph = WriteBinary(*pieces[p].graph);
    answers.push_back(std::make_shared<WaitingFor<Result<uint64_t>>>());
    split->pieces[p].link->Register(
        request, [answer = answers.back()](Result<uint64_t> id) {
          answer->Bring(std::move(id));
        });
  }
  Status first;
  for (size_t p = 0; p < pieces.size(); ++p) {
    const TaskLink& link = *split->pieces[p].link;
    Result<uint64_t> id =
        limit_ms == 0
            ? answers[p]->Wait()
            : answers[p]->WaitFor(limit_ms).value_or(Unanswered(link));
    if (id.status().code() == Code::kDeadlineExceeded) {
      split->pieces[p].link->GiveUp();
    }
    if (id.ok()) {
      split->pieces[p].id = *id;
    } else if (first.ok()) {
      first = id.status();
    }
  }
  SL_RETURN_IF_ERROR(first);
  return split;
}

// Blocks if it has to be built.
Result<std::shared_ptr<MasterSession::Split>> MasterSession::SplitOf(
    Prepared& prepared, int64_t limit_ms) {
  MutexLock building(build_mu_);
  {
    MutexLock lock(mu_);
    if (closed_) return Cancelled("the session is closed");
  }
  std::shared_ptr<Epoch> epoch = CurrentEpoch();
  std::shared_ptr<Split> old;
  {
    MutexLock lock(prepared.mu);
    if (prepared.split && prepared.split->epoch == epoch) return prepared.split;
    old = std::move(prepared.split);
  }
  SL_ASSIGN_OR_RETURN(std::shared_ptr<Split> split,
                      Build(prepared, epoch, limit_ms));
  MutexLock lock(prepared.mu);
  prepared.split = split;
  return split;
}

Result<uint64_t> MasterSession::Prepare(const PrepareGraph& request) {
  auto prepared = std::make_shared<Prepared>();
  SL_ASSIGN_OR_RETURN(prepared->graph, ReadBinary(request.graph));
  prepared->executor = request.executor;
  // Regions can be split by task; control-flow primitives cannot.
  SL_RETURN_IF_ERROR(RaiseControlFlow(*prepared->graph).status());
  SL_RETURN_IF_ERROR(SplitOf(*prepared, request.timeout_ms).status());
  MutexLock lock(mu_);
  if (closed_) return Cancelled("the session is closed");
  uint64_t number = next_prepared_++;
  prepared_[number] = std::move(prepared);
  return number;
}

Result<std::string> MasterSession::Explain(const PrepareGraph& request) {
  SL_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph, ReadBinary(request.graph));
  SL_RETURN_IF_ERROR(RaiseControlFlow(*graph).status());
  const std::string own = place_.worker->self().task;
  const SplitOptions options = AssignTasks(*graph, own);
  SL_ASSIGN_OR_RETURN(std::vector<TaskPiece> pieces,
                      SplitByTask(*graph, options));
  std::vector<std::string> tasks;
  for (const TaskPiece& piece : pieces) tasks.push_back(piece.task);
  std::shared_ptr<Epoch> epoch;
  {
    MutexLock building(build_mu_);
    epoch = CurrentEpoch();
    SL_RETURN_IF_ERROR(Attach(*epoch, tasks, request.timeout_ms));
  }
  std::vector<std::shared_ptr<WaitingFor<Result<std::string>>>> plans;
  for (const TaskPiece& piece : pieces) {
    RegisterGraph asked;
    asked.graph = WriteBinary(*piece.graph);
    asked.executor = request.executor;
    std::shared_ptr<TaskLink> link;
    {
      MutexLock lock(epoch->mu);
      link = epoch->links.at(piece.task);
    }
    plans.push_back(std::make_shared<WaitingFor<Result<std::string>>>());
    link->Explain(asked, [plan = plans.back()](Result<std::string> text) {
      plan->Bring(std::move(text));
    });
  }
  std::string all =
      StrCat("over ", pieces.size(), pieces.size() == 1 ? " task" : " tasks",
             ", led by ", own, "\n");
  const std::vector<std::string> texts = ExplainPieces(*graph, options, pieces);
  for (size_t p = 0; p < pieces.size(); ++p) {
    SL_ASSIGN_OR_RETURN(std::string plan, plans[p]->Wait());
    StrAppend(all, texts[p], plan);
  }
  return all;
}

void MasterSession::Release(uint64_t number) {
  std::shared_ptr<Prepared> last;  // destroyed without a lock
  MutexLock lock(mu_);
  auto it = prepared_.find(number);
  if (it == prepared_.end()) return;
  last = std::move(it->second);
  prepared_.erase(it);
}

// ---- Steps ----

void MasterSession::Run(const RunPrepared& request, std::vector<Array> feeds,
                        RunDone done) {
  std::shared_ptr<Prepared> prepared;
  Status refused;
  {
    MutexLock lock(mu_);
    auto it = prepared_.find(request.prepared);
    if (closed_) {
      refused = Cancelled("the session is closed");
    } else if (it == prepared_.end()) {
      refused = NotFound(StrCat("graph ", request.prepared,
                                " is not prepared in this session"));
    } else if (!seen_.insert(request.request).second) {
      refused = AlreadyExists(StrCat("request ", request.request,
                                     " came twice; a step is run once"));
    } else {
      prepared = it->second;
      seen_order_.push_back(request.request);
      if (seen_order_.size() > kMaxSeen) {
        seen_.erase(seen_order_.front());
        seen_order_.pop_front();
      }
    }
  }
  if (!prepared) return done({refused});
  std::shared_ptr<Split> split;
  {
    MutexLock lock(prepared->mu);
    split = prepared->split;
  }
  if (split && !split->epoch->Broken()) {
    return RunSplit(request, std::move(feeds), std::move(split),
                    std::move(done));
  }
  // A task was lost: attach all tasks that are up.
  Background::Start([this, self = shared_from_this(), request, prepared,
                     feeds = std::move(feeds),
                     done = std::move(done)]() mutable {
    Result<std::shared_ptr<Split>> built =
        Guarded([&] { return SplitOf(*prepared, request.timeout_ms); });
    if (!built.ok()) return done({built.status()});
    RunSplit(request, std::move(feeds), *std::move(built), std::move(done));
  });
}

void MasterSession::RunSplit(const RunPrepared& request,
                             std::vector<Array> feeds,
                             std::shared_ptr<Split> split, RunDone done) {
  size_t wanted = 0;
  for (const Split::Piece& piece : split->pieces) {
    for (int arg : piece.args) {
      wanted = std::max(wanted, static_cast<size_t>(arg) + 1);
    }
  }
  if (feeds.size() < wanted) {
    return done({InvalidArgument(
        StrCat("the step is fed ", feeds.size(), " values; wanted ", wanted))});
  }
  auto step = std::make_shared<Step>();
  step->request = request.request;
  step->split = split;
  step->done = std::move(done);
  step->left = split->pieces.size();
  step->results.resize(split->pieces.size());
  RunGraph run;
  run.trace = request.trace;
  if (request.trace) step->began = NowNanos();
  run.session = split->epoch->number;
  Status early;
  {
    MutexLock lock(mu_);
    for (const auto& [its_request, why] : stopped_early_) {
      if (its_request == request.request) early = why;
    }
    if (early.ok()) {
      step->number = next_step_++;
      steps_[step->number] = step;
      run.oldest = steps_.begin()->first;
      run.seed = request.given_random ? request.seed : seed_;
    }
  }
  if (!early.ok()) return step->done({early});
  run.step = step->number;
  run.calls =
      request.given_random ? request.calls : static_cast<int64_t>(step->number);
  if (split->pieces.empty()) return Finish(step);
  if (request.timeout_ms > 0) {
    Status late =
        DeadlineExceeded(StrCat("the step did not end within its deadline of ",
                                request.timeout_ms, " ms"));
    step->timer = Timer::Default().After(
        std::min<int64_t>(request.timeout_ms, int64_t{1} << 42) * 1'000'000,
        [self = shared_from_this(), weak = std::weak_ptr(step), late] {
          if (auto its = weak.lock()) self->Stop(its, late, kNobody);
        });
  }
  // Other tasks first: they take longer to start.
  const std::string own = place_.worker->self().task;
  for (bool here : {false, true}) {
    for (size_t p = 0; p < split->pieces.size(); ++p) {
      const Split::Piece& piece = split->pieces[p];
      if ((piece.link->info().task == own) != here) continue;
      run.piece = piece.id;
      std::vector<Array> its_feeds;
      for (int arg : piece.args) {
        its_feeds.push_back(feeds[static_cast<size_t>(arg)]);
      }
      piece.link->Run(run, std::move(its_feeds),
                      [self = shared_from_this(), step, p](RunResult result) {
                        self->PieceDone(step, p, std::move(result));
                      });
    }
  }
}

void MasterSession::PieceDone(const std::shared_ptr<Step>& step, size_t p,
                              RunResult result) {
  const Split::Piece& piece = step->split->pieces[p];
  WireStatus& status = result.status;
  if (status.code == Code::kOk &&
      result.values.size() != piece.results.size()) {
    status = WireStatus(DataLoss(
        StrCat("task ", piece.link->info().task, " gave ", result.values.size(),
               " results; wanted ", piece.results.size())));
  }
  if (status.code == Code::kOk) {
    step->results[p] = std::move(result);
  } else {
    Status error = status.ToStatus();
    {
      MutexLock lock(step->mu);
      Status& place = status.derived ? step->other : step->cause;
      if (place.ok()) place = error;
    }
    Stop(step, error, p);
  }
  if (step->left.fetch_sub(1, std::memory_order_acq_rel) == 1) Finish(step);
}

// Tells the other tasks, once.
void MasterSession::Stop(const std::shared_ptr<Step>& step, const Status& why,
                         size_t but_for) {
  {
    MutexLock lock(step->mu);
    if (step->stopped) return;
    step->stopped = true;
    if (but_for == kNobody && step->cause.ok()) step->cause = why;
  }
  AbortStep request;
  request.session = step->split->epoch->number;
  request.step = step->number;
  request.why = WireStatus(why, true);
  for (size_t p = 0; p < step->split->pieces.size(); ++p) {
    if (p != but_for) step->split->pieces[p].link->Abort(request);
  }
  // A message may be lost while the connection is up: the caller gets an answer
  // now, and late answers of tasks are ignored.
  const int64_t wait =
      place_.options.keepalive_ms + place_.options.keepalive_timeout_ms;
  MutexLock lock(step->mu);
  if (step->finished.load(std::memory_order_acquire)) return;
  step->last_wait = Timer::Default().After(
      wait * 1'000'000,
      [self = shared_from_this(), weak = std::weak_ptr(step)] {
        if (auto its = weak.lock()) self->Finish(its);
      });
}

void MasterSession::Finish(const std::shared_ptr<Step>& step) {
  if (step->finished.exchange(true, std::memory_order_acq_rel)) return;
  Timer::Id last_wait = 0;
  {
    MutexLock lock(step->mu);
    last_wait = step->last_wait;
  }
  if (last_wait != 0) Timer::Default().Cancel(last_wait);
  if (step->timer != 0) Timer::Default().Cancel(step->timer);
  std::shared_ptr<Step> last;
  {
    MutexLock lock(mu_);
    auto it = steps_.find(step->number);
    if (it != steps_.end()) {
      last = std::move(it->second);
      steps_.erase(it);
    }
  }
  Status error;
  {
    MutexLock lock(step->mu);
    error = step->cause.ok() ? step->other : step->cause;
  }
  RunDone done = std::move(step->done);
  if (!error.ok()) return done({error});
  const Split& split = *step->split;
  RunResult all;
  all.values.resize(split.num_results);
  for (size_t p = 0; p < split.pieces.size(); ++p) {
    RunResult& its = step->results[p];
    for (size_t i = 0; i < split.pieces[p].results.size(); ++i) {
      all.values[static_cast<size_t>(split.pieces[p].results[i])] =
          std::move(its.values[i]);
    }
    for (WireTrace& trace : its.traces) {
      trace.began -= step->began;
      all.traces.push_back(std::move(trace));
    }
  }
  done(std::move(all));
}

void MasterSession::Cancel(uint64_t request, const Status& why) {
  std::shared_ptr<Step> found;
  {
    MutexLock lock(mu_);
    for (const auto& [number, step] : steps_) {
      if (step->request == request) found = step;
    }
    if (!found) {
      stopped_early_.emplace_back(request, why);
      if (stopped_early_.size() > kMaxEarly) stopped_early_.pop_front();
    }
  }
  if (found) Stop(found, why, kNobody);
}

void MasterSession::Close(const Status& why) {
  std::vector<std::shared_ptr<Step>> running;
  std::unordered_map<uint64_t, std::shared_ptr<Prepared>> prepared;
  std::shared_ptr<Epoch> epoch;
  {
    MutexLock lock(mu_);
    closed_ = true;
    for (const auto& [number, step] : steps_) running.push_back(step);
    prepared.swap(prepared_);
    epoch = std::move(epoch_);
  }
  for (const auto& step : running) Stop(step, why, kNobody);
}

int64_t MasterSession::num_steps() const {
  MutexLock lock(mu_);
  return static_cast<int64_t>(steps_.size());
}

int64_t MasterSession::num_prepared() const {
  MutexLock lock(mu_);
  return static_cast<int64_t>(prepared_.size());
}

}  // namespace sluice::cluster
