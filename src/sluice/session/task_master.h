// TaskMaster: runs steps of a graph over several tasks. It prunes the graph to
// what a run needs, splits it by task, registers each piece with its worker,
// and caches the result by (feeds, fetches, targets); later runs need one
// message per task. During a step the pieces talk only to each other.
//
// The first error ends the step in all tasks and is the one reported; later
// steps are not affected. If a worker has disappeared, the next run registers
// its pieces again.
//
// Thread safe: any number of steps at once, while the graph grows. Graph, queue
// and workers must outlive it.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/comm/mailboxes.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/partition/split_by_task.h"
#include "sluice/session/run_options.h"
#include "sluice/session/step_queue.h"
#include "sluice/session/worker.h"

namespace sluice {

struct TaskMasterOptions {
  uint64_t seed = 0;
  SplitOptions split;
  MailboxOptions mailboxes;
};

class TaskMaster {
 public:
  // Waiting runs help `queue`.
  TaskMaster(Graph& graph, std::vector<Worker*> workers, StepQueue& queue,
             TaskMasterOptions options = {});
  ~TaskMaster();

  // Errors: those of SplitByTask; a task without a worker; errors of a piece,
  // with the op, the user's line and the task. The options trace, loops and
  // nan_trap are not supported over several tasks.
  Result<std::vector<Array>> Run(std::span<const Value> fetches,
                                 const FeedList& feeds,
                                 std::span<Node* const> targets,
                                 const RunOptions& options = {});
  size_t num_programs() const;

 private:
  // One choice of feeds, fetches and targets, piece by piece.
  struct Piece {
    Worker* worker = nullptr;
    PieceId id = 0;
    std::vector<int> args, results;
  };
  struct Split {
    ~Split();
    std::vector<Piece> pieces;
    size_t num_results = 0;
  };
  using Key = std::vector<uint64_t>;
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };
  struct Waiting;

  Result<std::shared_ptr<Split>> SplitFor(const Key& key,
                                          std::span<const Value> feeds,
                                          std::span<const Value> fetches,
                                          std::span<Node* const> targets,
                                          ExecutorChoice executor);
  Result<Worker*> WorkerOf(const std::string& task) const;
  Status RunSplit(const std::shared_ptr<Split>& shared,
                  std::span<const Array> feeds, std::vector<Array>* results,
                  const RunOptions& options);

  Graph& graph_;
  const std::vector<Worker*> workers_;
  StepQueue& queue_;
  const TaskMasterOptions options_;
  std::atomic<int64_t> next_step_{1};
  mutable Mutex mu_;
  std::unordered_map<Key, std::shared_ptr<Split>, KeyHash> splits_
      SL_GUARDED_BY(mu_);
};

}  // namespace sluice
