#include "sluice/cluster/task_worker.h"

#include <random>

#include "sluice/base/caught.h"
#include "sluice/base/clock.h"
#include "sluice/base/strings.h"
#include "sluice/cluster/piece_edge.h"
#include "sluice/cluster/tallies.h"
#include "sluice/cluster/task_worker_session.h"
#include "sluice/graph/binary_reader.h"

namespace sluice::cluster {

namespace {

uint64_t RandomNumber() {
  std::random_device random;
  return uint64_t{random()} << 32 | random() | 1;  // never 0
}

}  // namespace

TaskWorker::TaskWorker(TaskWorkerOptions options, Transport& transport)
    : options_(std::move(options)),
      transport_(transport),
      local_(options_.task, queue_, &WorkerPool::Default()),
      threads_(std::make_unique<StepThreads>(queue_, options_.threads)) {
  MutexLock lock(mu_);
  self_.task = options_.task;
  self_.incarnation = RandomNumber();
}

TaskWorker::~TaskWorker() { Stop(); }

void TaskWorker::SetAddress(const std::string& address) {
  MutexLock lock(mu_);
  self_.address = address;
}

TaskInfo TaskWorker::self() const {
  MutexLock lock(mu_);
  return self_;
}

void TaskWorker::Stop() {
  std::vector<uint64_t> all;
  std::unordered_map<std::string, std::shared_ptr<Peer>> peers;
  {
    MutexLock lock(mu_);
    stopped_ = true;
    for (const auto& [id, session] : sessions_) all.push_back(id);
  }
  for (uint64_t id : all) {
    Drop(id, Status(Code::kUnavailable,
                    StrCat("task ", options_.task, " is shutting down")));
  }
  while (unanswered_.load(std::memory_order_acquire) != 0) {
    uint32_t seen = quiet_.Prepare();
    if (unanswered_.load(std::memory_order_acquire) == 0) {
      quiet_.Cancel();
    } else {
      quiet_.Wait(seen);
    }
  }
  {
    MutexLock lock(mu_);
    peers.swap(peers_);
  }
  // Connections may end after this object.
  gate_->Close();
}

// ---- Sessions ----

std::shared_ptr<TaskWorker::Session> TaskWorker::Find(uint64_t session) const {
  MutexLock lock(mu_);
  auto it = sessions_.find(session);
  return it == sessions_.end() ? nullptr : it->second;
}

Status TaskWorker::Unknown(uint64_t session) const {
  return Aborted(StrCat("task ", options_.task, " does not know session ",
                        session,
                        ": it was restarted, or lost the session's "
                        "master for a while"));
}

Status TaskWorker::Keep(const KeepWorkerSession& request) {
  MutexLock lock(mu_);
  if (stopped_) {
    return Status(Code::kUnavailable,
                  StrCat("task ", options_.task, " is shutting down"));
  }
  if (request.incarnation != self_.incarnation) {
    return Aborted(StrCat("task ", options_.task,
                          " was restarted: wanted "
                          "incarnation ",
                          request.incarnation, ", this is ",
                          self_.incarnation));
  }
  bool fresh =
      sessions_
          .emplace(request.session,
                   std::make_shared<Session>(request.session, request.master))
          .second;
  if (fresh) return OkStatus();
  return AlreadyExists(StrCat("task ", options_.task, " has session ",
                              request.session, " already"));
}

void TaskWorker::Drop(uint64_t id, const Status& why) {
  std::shared_ptr<Session> session;
  {
    MutexLock lock(mu_);
    auto it = sessions_.find(id);
    if (it == sessions_.end()) return;
    session = std::move(it->second);
    sessions_.erase(it);
  }
  std::vector<std::shared_ptr<TaskStep>> steps;
  std::unordered_map<uint64_t, PieceRef> pieces;
  {
    MutexLock lock(session->mu);
    session->closed = true;
    for (const auto& [number, step] : session->steps) steps.push_back(step);
    pieces.swap(session->pieces);
  }
  for (const auto& step : steps) StopStep(*step, why);
  for (const auto& [number, piece] : pieces) local_.Forget(piece->id);
}

void TaskWorker::Reset(const std::string& container) {
  local_.resources().Reset(container);
}

// ---- Pieces ----

namespace {

template <class F>
Status ForEachNode(const Region& region, const F& visit) {
  for (const Node* node : region.nodes()) {
    SL_RETURN_IF_ERROR(visit(*node));
    for (const auto& inner : node->regions()) {
      SL_RETURN_IF_ERROR(ForEachNode(*inner, visit));
    }
  }
  return OkStatus();
}

}  // namespace

// Both ends of an edge between tasks have attributes with its number, its
// source and its destination.
Status TaskWorker::RoutesOf(const Graph& graph,
                            const std::vector<TaskInfo>& tasks,
                            PieceRoutes* routes) {
  std::unordered_map<std::string, std::shared_ptr<Peer>> peers;
  for (const TaskInfo& info : tasks) peers[info.task] = PeerOf(info);
  return ForEachNode(graph.root(), [&](const Node& node) -> Status {
    std::optional<PieceEdge> said = EdgeOf(node);
    if (!said) return OkStatus();
    PieceRoutes::Edge edge;
    edge.task = said->task;
    edge.op = StrCat("\"", node.name(), "\"");
    std::string line = NodeLine(node);
    if (!line.empty()) StrAppend(edge.op, " (", line, ")");
    auto it = peers.find(edge.task);
    if (it == peers.end()) {
      return InvalidArgument(StrCat("a piece of task ", options_.task,
                                    " talks to ", edge.task,
                                    ", which it was not told of"));
    }
    edge.peer = it->second;
    (said->sends ? routes->sends : routes->receives)[said->number] =
        std::move(edge);
    return OkStatus();
  });
}

Result<std::string> TaskWorker::Explain(const RegisterGraph& request) const {
  if (request.executor > static_cast<uint32_t>(ExecutorChoice::kTokens)) {
    return InvalidArgument(StrCat("there is no executor ", request.executor));
  }
  SL_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph, ReadBinary(request.graph));
  return local_.Explain(std::move(graph),
                        static_cast<ExecutorChoice>(request.executor));
}

Result<uint64_t> TaskWorker::Register(const RegisterGraph& request) {
  std::shared_ptr<Session> session = Find(request.session);
  if (!session) return Unknown(request.session);
  if (request.executor > static_cast<uint32_t>(ExecutorChoice::kTokens)) {
    return InvalidArgument(StrCat("there is no executor ", request.executor));
  }
  SL_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph, ReadBinary(request.graph));
  auto piece = std::make_shared<Piece>();
  piece->routes = std::make_shared<PieceRoutes>();
  SL_RETURN_IF_ERROR(RoutesOf(*graph, request.tasks, piece->routes.get()));
  SL_ASSIGN_OR_RETURN(
      piece->id, local_.Register(std::move(graph), static_cast<ExecutorChoice>(
                                                       request.executor)));
  {
    MutexLock lock(session->mu);
    if (!session->closed) {
      uint64_t number = session->next_piece++;
      session->pieces[number] = std::move(piece);
      return number;
    }
  }
  local_.Forget(piece->id);
  return Unknown(request.session);
}

void TaskWorker::Forget(const ForgetGraph& request) {
  std::shared_ptr<Session> session = Find(request.session);
  if (!session) return;
  PieceRef piece;
  {
    MutexLock lock(session->mu);
    auto it = session->pieces.find(request.piece);
    if (it == session->pieces.end()) return;
    piece = std::move(it->second);
    session->pieces.erase(it);
  }
  local_.Forget(piece->id);
}

// ---- Steps ----

std::shared_ptr<TaskStep> TaskWorker::StepOf(
    const std::shared_ptr<Session>& session, uint64_t number) {
  MutexLock lock(session->mu);
  if (session->IsOver(number)) return nullptr;
  std::shared_ptr<TaskStep>& step = session->steps[number];
  if (!step) {
    step = std::make_shared<TaskStep>(
        session->id, number, options_.mailboxes,
        [this, weak = std::weak_ptr(session)](TaskStep& over) {
          if (auto its = weak.lock()) ForgetStep(*its, over);
        });
  }
  return step;
}

void TaskWorker::ForgetStep(Session& session, TaskStep& step) {
  std::shared_ptr<TaskStep> last;  // destroyed without a lock
  MutexLock lock(session.mu);
  auto it = session.steps.find(step.number());
  if (it == session.steps.end()) return;
  last = std::move(it->second);
  session.steps.erase(it);
  session.over.insert(step.number());
}

void TaskWorker::StopStep(TaskStep& step, const Status& why) {
  int64_t run = step.AbortFromOutside(why);
  if (run != 0) local_.Abort(run, why);
}

void TaskWorker::Abort(const AbortStep& request) {
  std::shared_ptr<Session> session = Find(request.session);
  if (!session) return;
  // A run that has not arrived yet must not start later.
  std::shared_ptr<TaskStep> step = StepOf(session, request.step);
  if (step) StopStep(*step, request.why.ToStatus());
}

void TaskWorker::Run(const RunGraph& request, std::vector<Array> feeds,
                     RunDone done) {
  if (request.trace) {
    // By this task's clock: the times of request and answer.
    done = [received = NowNanos(), done = std::move(done)](RunResult result) {
      for (WireTrace& trace : result.traces) {
        trace.received = received;
        trace.sent = NowNanos();
      }
      done(std::move(result));
    };
  }
  std::shared_ptr<Session> session = Find(request.session);
  if (!session) {
    WireStatus unknown(Unknown(request.session));
    unknown.lost = true;
    return done({unknown});
  }
  PieceRef piece;
  std::vector<std::shared_ptr<TaskStep>> stale;
  bool over = false;
  {
    MutexLock lock(session->mu);
    if (request.oldest > session->oldest) {
      session->oldest = request.oldest;
      std::erase_if(session->over,
                    [&](uint64_t step) { return step < request.oldest; });
      for (const auto& [number, step] : session->steps) {
        if (number >= request.oldest) break;
        stale.push_back(step);
      }
    }
    auto it = session->pieces.find(request.piece);
    if (it != session->pieces.end()) piece = it->second;
    over = session->IsOver(request.step);
  }
  for (const auto& step : stale) StopStep(*step, Cancelled("the step is over"));
  if (!piece) {
    return done(
        {NotFound(StrCat("piece ", request.piece,
                         " is not registered with task ", options_.task))});
  }
  std::shared_ptr<TaskStep> step =
      over ? nullptr : StepOf(session, request.step);
  if (!step) {
    return done({AlreadyExists(
        StrCat("step ", request.step, " is over; a step is run once"))});
  }
  const int64_t run = next_run_.fetch_add(1, std::memory_order_relaxed);
  running_.fetch_add(1, std::memory_order_relaxed);
  unanswered_.fetch_add(1, std::memory_order_relaxed);
  Status begun = step->Begin(piece->routes, run);
  if (!begun.ok()) {
    bool derived = step->derived();
    running_.fetch_sub(1, std::memory_order_relaxed);
    done({WireStatus(begun, derived)});
    return Answered();
  }
  if (piece->planned.load(std::memory_order_acquire)) {
    return Start(request, std::move(feeds), std::move(session), std::move(step),
                 run, std::move(piece), std::move(done));
  }
  // The first run makes a plan, which takes long: not on a thread of the
  // transport.
  threads_->Post([this, request, feeds = std::move(feeds), session, step, run,
                  piece, done = std::move(done)]() mutable {
    Start(request, std::move(feeds), session, step, run, piece,
          std::move(done));
  });
}

void TaskWorker::Answered() {
  if (unanswered_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    quiet_.Notify();
  }
}

void TaskWorker::Start(const RunGraph& request, std::vector<Array> feeds,
                       std::shared_ptr<Session> session,
                       std::shared_ptr<TaskStep> step, int64_t run,
                       PieceRef piece, RunDone done) {
  PieceRun what;
  what.piece = piece->id;
  what.step = run;
  what.random = {request.seed, request.calls};
  what.feeds = std::move(feeds);
  what.rendezvous = step;
  auto trace = request.trace ? std::make_shared<WireTrace>() : nullptr;
  if (trace) {
    what.traced = [trace](const TaskTrace& its) { *trace = ToWire(its); };
  }
  TaskStep& its = *step;
  local_.Run(std::move(what),
             [this, session = std::move(session), step, piece, trace,
              began = NowNanos(), done = std::move(done)](
                 Status status, std::vector<Array> results) {
               if (status.ok())
                 piece->planned.store(true, std::memory_order_release);
               bool derived = step->derived();
               step->End();
               // Before the answer is sent: its receiver must see the piece as
               // done in the gauges.
               running_.fetch_sub(1, std::memory_order_relaxed);
               Tallies& tallies = Tallies::Get();
               Tallies::Add(tallies.runs);
               Tallies::Add(tallies.run_nanos, NowNanos() - began);
               if (!status.ok()) Tallies::Add(tallies.failed_runs);
               RunResult result{WireStatus(status, derived && !status.ok()),
                                std::move(results)};
               if (trace) result.traces.push_back(std::move(*trace));
               done(std::move(result));
               Answered();
             });
  // A cancellation in the meantime did not find the run.
  Status error = its.error();
  if (!error.ok()) local_.Abort(run, error);
}

// ---- Monitoring ----

std::vector<std::shared_ptr<TaskStep>> TaskWorker::StepsOf(
    const Session& session) const {
  std::vector<std::shared_ptr<TaskStep>> steps;
  auto& mutable_session = const_cast<Session&>(session);
  MutexLock lock(mutable_session.mu);
  for (const auto& [number, step] : mutable_session.steps) {
    steps.push_back(step);
  }
  return steps;
}

std::vector<std::shared_ptr<TaskStep>> TaskWorker::AllSteps() const {
  std::vector<std::shared_ptr<Session>> sessions;
  {
    MutexLock lock(mu_);
    for (const auto& [id, session] : sessions_) sessions.push_back(session);
  }
  std::vector<std::shared_ptr<TaskStep>> all;
  for (const auto& session : sessions) {
    for (auto& step : StepsOf(*session)) all.push_back(std::move(step));
  }
  return all;
}

void TaskWorker::AddGauges(std::vector<Gauge>* gauges) const {
  int64_t calls = 0, messages = 0, offers = 0, steps = 0, sessions = 0;
  for (const auto& step : AllSteps()) {
    ++steps;
    calls += step->waiting_calls();
    messages += step->waiting_messages();
    offers += step->offers();
  }
  {
    MutexLock lock(mu_);
    sessions = static_cast<int64_t>(sessions_.size());
  }
  gauges->push_back({"worker_sessions", sessions});
  gauges->push_back(
      {"worker_pieces", static_cast<int64_t>(local_.num_pieces())});
  gauges->push_back({"worker_steps", steps});
  gauges->push_back({"worker_running", running_.load()});
  gauges->push_back({"waiting_calls", calls});
  gauges->push_back({"waiting_messages", messages});
  gauges->push_back({"waiting_offers", offers});
}

}  // namespace sluice::cluster
