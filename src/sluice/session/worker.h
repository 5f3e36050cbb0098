// Worker: one task. It receives pieces of graphs, runs them in steps, and keeps
// the state of its task: variables, queues, tables. Masters pass everything by
// value, including graphs, so a worker may be in another process.
//
// Thread safe. A LocalWorker is in this process.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/base/worker_pool.h"
#include "sluice/graph/graph.h"
#include "sluice/op/rendezvous.h"
#include "sluice/op/resource.h"
#include "sluice/plan/executor_choice.h"
#include "sluice/session/program.h"
#include "sluice/session/random_state.h"
#include "sluice/session/step_queue.h"
#include "sluice/step/task_trace.h"

namespace sluice {

using PieceId = int64_t;

// One run of a piece.
struct PieceRun {
  PieceId piece = 0;
  int64_t step = 0;    // the same for all pieces of a step
  RandomState random;  // the position its random ops draw from
  std::vector<Array> feeds;
  // Connects the pieces of this step; aborted by the first piece that fails.
  std::shared_ptr<Rendezvous> rendezvous;
  // Receives the trace, before `done`; null: no trace is recorded.
  std::function<void(TaskTrace)> traced = nullptr;
};

class Worker {
 public:
  virtual ~Worker() = default;
  // "/job:worker/task:0"
  virtual const std::string& task() const = 0;

  // Errors: the worker is gone.
  virtual Result<PieceId> Register(std::unique_ptr<Graph> piece,
                                   ExecutorChoice executor) = 0;
  // Runs in progress continue.
  virtual void Forget(PieceId piece) = 0;
  // `done` is called once, from any thread, with the results of the piece or
  // with an error that names the task. An error aborts the rendezvous first.
  using Done = std::function<void(Status, std::vector<Array>)>;
  virtual void Run(PieceRun run, Done done) = 0;
  // Stops the runs of a step; an unknown step has already ended.
  virtual void Abort(int64_t step, const Status& why) = 0;
};

class LocalWorker final : public Worker {
 public:
  // Threads that help `queue` run the steps; the queue must outlive this. Heavy
  // ops use `pool`; null: no other threads.
  LocalWorker(std::string task, StepQueue& queue, WorkerPool* pool = nullptr);
  // REQUIRES: no run is in progress.
  ~LocalWorker() override;

  const std::string& task() const override { return task_; }
  Result<PieceId> Register(std::unique_ptr<Graph> piece,
                           ExecutorChoice executor) override;
  // Explains how it would run such a piece, for the feed types of its
  // arguments.
  Result<std::string> Explain(std::unique_ptr<Graph> piece,
                              ExecutorChoice executor) const;
  void Forget(PieceId piece) override;
  void Run(PieceRun run, Done done) override;
  void Abort(int64_t step, const Status& why) override;

  // Simulates the end of its process: runs in progress fail and later requests
  // are refused until Return. State is lost.
  void Disappear();
  void Return();

  ResourceManager& resources();
  size_t num_pieces() const;
  size_t num_running() const;

 private:
  struct Running;
  Status Start(PieceRun run, Done& done);
  void End(Running& running);
  Status Gone() const;
  Status InTask(const Status& status) const;

  const std::string task_;
  StepQueue& queue_;
  WorkerPool* const pool_;
  mutable Mutex mu_;
  bool gone_ SL_GUARDED_BY(mu_) = false;
  PieceId next_piece_ SL_GUARDED_BY(mu_) = 1;
  std::shared_ptr<ResourceManager> resources_ SL_GUARDED_BY(mu_);
  std::unordered_map<PieceId, std::shared_ptr<Program>> pieces_
      SL_GUARDED_BY(mu_);
  // By step; a step may have several pieces here.
  std::multimap<int64_t, std::unique_ptr<Running>> running_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice
