// TaskWorker: one task of a cluster: its state, the pieces registered by
// masters, and the running steps. Sessions of masters are separate; state
// (variables, queues, tables) belongs to the task and is shared by name.
//
// A session ends when its master ends it or is lost, together with its pieces
// and steps. Thread safe. Outlives all calls and streams that reach it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sluice/base/event_count.h"
#include "sluice/base/gate.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/cluster/messages.h"
#include "sluice/cluster/step_threads.h"
#include "sluice/cluster/task_step.h"
#include "sluice/cluster/transport.h"
#include "sluice/session/step_queue.h"
#include "sluice/session/worker.h"

namespace sluice::cluster {

// How long a transport thread that starts a piece, or delivers a tensor that
// one waits for, may run it: most of a small step takes less time than waking
// another thread. Only one thread at a time does so; the transport has another
// for further messages.
inline constexpr int64_t kHereNanos = 500'000;

struct TaskWorkerOptions {
  std::string task;
  int threads = 2;  // that run steps
  TransportOptions transport;
  MailboxOptions mailboxes;
};

class TaskWorker {
 public:
  TaskWorker(TaskWorkerOptions options, Transport& transport);
  ~TaskWorker();
  // The address for other processes, known once the server listens.
  void SetAddress(const std::string& address);
  TaskInfo self() const;

  // ---- Requests of a master ----
  Status Keep(const KeepWorkerSession& request);
  void Drop(uint64_t session, const Status& why);
  Result<uint64_t> Register(const RegisterGraph& request);
  // How it would run such a piece; nothing is registered.
  Result<std::string> Explain(const RegisterGraph& request) const;
  void Forget(const ForgetGraph& request);
  void Run(const RunGraph& request, std::vector<Array> feeds, RunDone done);
  void Abort(const AbortStep& request);
  void Reset(const std::string& container);

  // ---- Requests of other tasks ----
  StreamEvents AcceptTensors(std::shared_ptr<Stream> stream);
  Payload Fetch(const FetchPart& request);

  // ---- For monitoring ----
  void AddGauges(std::vector<Gauge>* gauges) const;
  // What its steps wait for, if they have made no progress for `still_ms`.
  std::vector<std::string> Waits(int64_t still_ms) const;

  // Ends all sessions, refuses new ones, and waits for running steps.
  void Stop();
  StepThreads& threads() { return *threads_; }
  StepQueue& queue() { return queue_; }

 private:
  struct Session;
  struct Inbound;
  struct Piece {
    PieceId id = 0;
    std::shared_ptr<PieceRoutes> routes;
    std::atomic<bool> planned{false};  // has run: it starts at once
  };
  using PieceRef = std::shared_ptr<Piece>;

  std::shared_ptr<Session> Find(uint64_t session) const;
  Status Unknown(uint64_t session) const;
  // The step, created if needed; null: it is over.
  std::shared_ptr<TaskStep> StepOf(const std::shared_ptr<Session>& session,
                                   uint64_t step);
  void ForgetStep(Session& session, TaskStep& step);
  void StopStep(TaskStep& step, const Status& why);
  Status RoutesOf(const Graph& graph, const std::vector<TaskInfo>& tasks,
                  PieceRoutes* routes);
  std::shared_ptr<Peer> PeerOf(const TaskInfo& info);
  void Lost(const std::string& task, const Status& why);
  std::vector<std::shared_ptr<TaskStep>> StepsOf(const Session& session) const;
  std::vector<std::shared_ptr<TaskStep>> AllSteps() const;
  void Arrive(const std::shared_ptr<Inbound>& from, Frame frame);
  void FetchOffer(const std::shared_ptr<Inbound>& from, Frame frame,
                  const std::shared_ptr<TaskStep>& step);
  void Start(const RunGraph& request, std::vector<Array> feeds,
             std::shared_ptr<Session> session, std::shared_ptr<TaskStep> step,
             int64_t run, PieceRef piece, RunDone done);
  void Answered();

  const TaskWorkerOptions options_;
  Transport& transport_;
  StepQueue queue_;
  LocalWorker local_;
  std::unique_ptr<StepThreads> threads_;
  std::atomic<int64_t> next_run_{1};
  std::atomic<int64_t> running_{0};  // pieces, for the gauges
  // The same until the answer was delivered, for the destructor.
  std::atomic<int64_t> unanswered_{0};
  EventCount quiet_;
  // Callbacks of peers go through it while this object exists.
  const std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();

  mutable Mutex mu_;
  TaskInfo self_ SL_GUARDED_BY(mu_);
  bool stopped_ SL_GUARDED_BY(mu_) = false;
  std::unordered_map<uint64_t, std::shared_ptr<Session>> sessions_
      SL_GUARDED_BY(mu_);
  std::unordered_map<std::string, std::shared_ptr<Peer>> peers_
      SL_GUARDED_BY(mu_);
};

}  // namespace sluice::cluster
