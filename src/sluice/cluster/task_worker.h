// TaskWorker: one task of a cluster: its state, the pieces it was given by
// masters, and the steps that run. Every session of a master is kept apart;
// state (variables, queues, tables) is the task's, and shared by name.
//
// A session ends when its master lets it, or is lost; its pieces and steps go
// with it. Thread safe. Outlives all calls and streams that reach it.
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

// How long a thread of the transport that begins a piece, or brings a tensor
// that one waited for, may run it: most of a small step is shorter than waking
// another thread. Only one at a time does it, and the transport has another
// thread for what comes meanwhile.
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
  // Where others reach it, known when it listens.
  void SetAddress(const std::string& address);
  TaskInfo self() const;

  // ---- What a master says ----
  Status Keep(const KeepWorkerSession& request);
  void Drop(uint64_t session, const Status& why);
  Result<uint64_t> Register(const RegisterGraph& request);
  // How it would run such a piece; nothing is registered.
  Result<std::string> Explain(const RegisterGraph& request) const;
  void Forget(const ForgetGraph& request);
  void Run(const RunGraph& request, std::vector<Array> feeds, RunDone done);
  void Abort(const AbortStep& request);
  void Reset(const std::string& container);

  // ---- What other tasks say ----
  StreamEvents AcceptTensors(std::shared_ptr<Stream> stream);
  Payload Fetch(const FetchPart& request);

  // ---- For those who look ----
  void AddGauges(std::vector<Gauge>* gauges) const;
  // What its steps wait for, and how long they have not moved.
  std::vector<std::string> Waits(int64_t still_ms) const;

  // No session is left, none is taken any more; waits for what runs.
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
  // The step, made when it is not there; null: it is over.
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
  // The same until whoever asked has the answer, for the end of this object.
  std::atomic<int64_t> unanswered_{0};
  EventCount quiet_;
  // What peers tell comes through it, while this object is there.
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
