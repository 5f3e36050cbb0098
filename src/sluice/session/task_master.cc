#include "sluice/session/task_master.h"

#include "sluice/base/caught.h"
#include "sluice/base/clock.h"
#include "sluice/base/interruption.h"
#include "sluice/base/strings.h"
#include "sluice/passes/prune.h"
#include "sluice/passes/raise_control_flow.h"
#include "sluice/session/stop_watch.h"

namespace sluice {

TaskMaster::TaskMaster(Graph& graph, std::vector<Worker*> workers,
                       StepQueue& queue, TaskMasterOptions options)
    : graph_(graph),
      workers_(std::move(workers)),
      queue_(queue),
      options_(std::move(options)) {}

TaskMaster::~TaskMaster() = default;

TaskMaster::Split::~Split() {
  for (const Piece& piece : pieces) piece.worker->Forget(piece.id);
}

size_t TaskMaster::KeyHash::operator()(const Key& key) const {
  uint64_t h = 0x9e3779b97f4a7c15u;
  for (uint64_t w : key) h = (h ^ w) * 0xff51afd7ed558ccdu + (h >> 29);
  return h;
}

size_t TaskMaster::num_programs() const {
  MutexLock lock(mu_);
  return splits_.size();
}

Result<Worker*> TaskMaster::WorkerOf(const std::string& task) const {
  std::string known;
  for (Worker* worker : workers_) {
    if (worker->task() == task) return worker;
    StrAppend(known, known.empty() ? "" : ", ", worker->task());
  }
  return InvalidArgument(StrCat("there is no worker for task ", task,
                                "; there are ",
                                known.empty() ? "none" : known));
}

Result<std::shared_ptr<TaskMaster::Split>> TaskMaster::SplitFor(
    const Key& key, std::span<const Value> feeds,
    std::span<const Value> fetches, std::span<Node* const> targets,
    ExecutorChoice executor) {
  {
    MutexLock lock(mu_);
    auto it = splits_.find(key);
    if (it != splits_.end()) return it->second;
  }
  std::unique_ptr<Graph> pruned;
  {
    MutexLock lock(graph_.mu());
    SL_ASSIGN_OR_RETURN(pruned, Prune(graph_, feeds, fetches, targets));
  }
  // What can be split is regions; primitives are not.
  SL_RETURN_IF_ERROR(RaiseControlFlow(*pruned).status());
  SL_ASSIGN_OR_RETURN(std::vector<TaskPiece> pieces,
                      SplitByTask(*pruned, options_.split));
  auto split = std::make_shared<Split>();
  split->num_results = fetches.size();
  for (TaskPiece& piece : pieces) {
    SL_ASSIGN_OR_RETURN(Worker * worker, WorkerOf(piece.task));
    SL_ASSIGN_OR_RETURN(PieceId id,
                        worker->Register(std::move(piece.graph), executor));
    split->pieces.push_back(
        {worker, id, std::move(piece.args), std::move(piece.results)});
  }
  MutexLock lock(mu_);
  return splits_.emplace(key, std::move(split)).first->second;
}

// What the callbacks of one step share with whoever waits for it.
struct TaskMaster::Waiting {
  std::atomic<size_t> left{0};
  Mutex mu;
  Status first SL_GUARDED_BY(mu);
  std::vector<std::vector<Array>> results;  // by piece; each written once
};

Status TaskMaster::RunSplit(const std::shared_ptr<Split>& shared,
                            std::span<const Array> feeds,
                            std::vector<Array>* results,
                            const RunOptions& options) {
  const Split& split = *shared;
  const int64_t start = options.timeout_ms > 0 ? NowNanos() : 0;
  SL_RETURN_IF_ERROR(Interruption::Check());
  auto boxes = std::make_shared<Mailboxes>(options_.mailboxes);
  auto waiting = std::make_shared<Waiting>();
  waiting->left = split.pieces.size();
  waiting->results.resize(split.pieces.size());
  const int64_t step = next_step_.fetch_add(1, std::memory_order_relaxed);
  RandomState random{options_.seed, step};
  if (options.random) random = *options.random;

  auto stop = std::make_shared<Cancellation>();
  Cancellation::Token token = 0;
  // It may still run when this has returned: it holds what it needs.
  stop->Register(&token, [shared, step, boxes, stop = stop.get()] {
    boxes->Abort(stop->status());
    for (const Piece& piece : shared->pieces) {
      piece.worker->Abort(step, stop->status());
    }
  });
  Interruption::Running stoppable(stop);
  StopWatch watch(options, stop, start);

  for (size_t p = 0; p < split.pieces.size(); ++p) {
    const Piece& piece = split.pieces[p];
    auto done = [waiting, p, &queue = queue_](Status status,
                                              std::vector<Array> made) {
      waiting->results[p] = std::move(made);
      if (!status.ok()) {
        MutexLock lock(waiting->mu);
        if (waiting->first.ok()) waiting->first = std::move(status);
      }
      if (waiting->left.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        queue.Notify();
      }
    };
    // Pieces that run already wait for this one: it cannot just be left out.
    Status started = Guarded([&]() -> Status {
      PieceRun run;
      run.piece = piece.id;
      run.step = step;
      run.random = random;
      for (int arg : piece.args) {
        run.feeds.push_back(feeds[static_cast<size_t>(arg)]);
      }
      run.rendezvous = boxes;
      piece.worker->Run(std::move(run), done);
      return OkStatus();
    });
    if (started.ok()) continue;
    boxes->Abort(started);
    done(started, {});
  }
  queue_.HelpUntil(
      [&] { return waiting->left.load(std::memory_order_acquire) == 0; });
  (void)stop->Deregister(token);
  // The first error is the one that stopped the others.
  SL_RETURN_IF_ERROR(boxes->error());
  {
    MutexLock lock(waiting->mu);
    SL_RETURN_IF_ERROR(waiting->first);
  }
  results->resize(split.num_results);
  for (size_t p = 0; p < split.pieces.size(); ++p) {
    const std::vector<int>& which = split.pieces[p].results;
    for (size_t i = 0; i < which.size(); ++i) {
      (*results)[static_cast<size_t>(which[i])] =
          std::move(waiting->results[p][i]);
    }
  }
  return OkStatus();
}

Result<std::vector<Array>> TaskMaster::Run(std::span<const Value> fetches,
                                           const FeedList& feeds,
                                           std::span<Node* const> targets,
                                           const RunOptions& options) {
  std::vector<Value> fed;
  std::vector<Array> arrays;
  for (const auto& [value, array] : feeds) {
    fed.push_back(value);
    arrays.push_back(array);
  }
  // Nodes are known by address: the graph never removes one.
  Key key = {static_cast<uint64_t>(options.executor), fed.size(),
             fetches.size(), targets.size()};
  auto add = [&](const Value& v) {
    key.push_back(reinterpret_cast<uintptr_t>(v.node));
    key.push_back(static_cast<uint64_t>(v.index));
  };
  for (const Value& v : fed) add(v);
  for (const Value& v : fetches) add(v);
  for (Node* t : targets) key.push_back(reinterpret_cast<uintptr_t>(t));
  SL_ASSIGN_OR_RETURN(std::shared_ptr<Split> split,
                      SplitFor(key, fed, fetches, targets, options.executor));
  std::vector<Array> results;
  Status status = RunSplit(split, arrays, &results, options);
  if (status.code() == Code::kUnavailable || status.code() == Code::kNotFound) {
    // A worker that comes back knows no pieces: register them anew next time.
    MutexLock lock(mu_);
    auto it = splits_.find(key);
    if (it != splits_.end() && it->second == split) splits_.erase(it);
  }
  SL_RETURN_IF_ERROR(status);
  return results;
}

}  // namespace sluice
