// LocalMaster: runs steps of a graph in this process. It prunes the graph to
// what a run needs, optimizes and plans it, caches the plan by (feeds, fetches,
// targets), and runs it. It owns the containers with the state of the graph.
//
// Thread safe: any number of steps may run at once from any threads while the
// graph grows. The graph must outlive the master.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "sluice/base/small_vector.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/base/worker_pool.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/op/resource.h"
#include "sluice/session/program.h"
#include "sluice/session/run_options.h"

namespace sluice {

struct MasterOptions {
  uint64_t seed = 0;
  // Null: the pool of the process. A pool of parallelism 1 runs everything on
  // the calling thread.
  WorkerPool* pool = nullptr;
  // Null: this master's own. Masters with the same manager share named state.
  std::shared_ptr<ResourceManager> resources;
  LocalPlacement placement{};
};

// The inputs and results of a run: usually few, and then the list needs no heap
// memory.
using ArrayList = SmallVector<Array, 6>;

class LocalMaster {
 public:
  explicit LocalMaster(Graph& graph, MasterOptions options = {});
  ~LocalMaster();

  Result<std::vector<Array>> Run(std::span<const Value> fetches,
                                 const FeedList& feeds,
                                 std::span<Node* const> targets,
                                 const RunOptions& options = {},
                                 RunMetadata* metadata = nullptr);

  // The cached program for this choice of feeds, fetches and targets.
  Result<std::shared_ptr<Program>> ProgramFor(std::span<const Value> feeds,
                                              std::span<const Value> fetches,
                                              std::span<Node* const> targets,
                                              ExecutorChoice executor,
                                              bool nan_trap = false);
  // Runs a program on `feeds`, in the order of its feeds; appends the results.
  // Moves from the feeds: the step may reuse the memory of unshared ones.
  Status RunProgram(Program& program, std::span<Array> feeds,
                    ArrayList* results, const RunOptions& options,
                    RunMetadata* metadata);

  // Describes the plan of such a run, with reasons.
  Result<std::string> Explain(std::span<const Value> fetches,
                              const FeedList& feeds,
                              std::span<Node* const> targets,
                              ExecutorChoice executor = ExecutorChoice::kAuto);

  // Forecasts the peak memory of such a run.
  Result<MemoryForecast> PlanMemory(std::span<const Value> fetches,
                                    const FeedList& feeds,
                                    std::span<Node* const> targets);

  // Cancels running steps and refuses new ones.
  void Close();

  Graph& graph() { return graph_; }
  ResourceManager& resources() { return *resources_; }
  WorkerPool* pool() const { return pool_; }
  // The position of the next step in the stream of random numbers.
  RandomState random_state() const { return {seed_, next_step_}; }
  void set_random_state(const RandomState& state) {
    seed_ = state.seed;
    next_step_ = state.calls;
  }
  // The position for a step that starts now.
  RandomState NextStep() {
    return {seed_.load(std::memory_order_relaxed),
            next_step_.fetch_add(1, std::memory_order_relaxed)};
  }
  size_t num_programs() const;

  // A running step, known to Close(). Lives on the stack of the running thread.
  class Active {
   public:
    Active(LocalMaster& master, std::shared_ptr<Cancellation> cancellation);
    ~Active();
    bool refused() const { return refused_; }

   private:
    friend class LocalMaster;
    LocalMaster& master_;
    const std::shared_ptr<Cancellation> cancellation_;
    Active *prev_ = nullptr, *next_ = nullptr;
    bool refused_ = false;
  };

 private:
  Status RunPlain(Program& program, std::span<Array> feeds, ArrayList* results,
                  const RunOptions& options, RunMetadata* metadata);
  Status RunReporting(Program& program, std::span<Array> feeds,
                      ArrayList* results, const RunOptions& options,
                      RunMetadata* metadata);

  struct Key {
    std::vector<uint64_t> words;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };

  Graph& graph_;
  WorkerPool* pool_;
  std::atomic<uint64_t> seed_;
  std::shared_ptr<ResourceManager> resources_;
  const LocalPlacement placement_;
  std::atomic<int64_t> next_step_{1};

  mutable Mutex mu_;  // programs; acquired before graph_.mu()
  std::unordered_map<Key, std::shared_ptr<Program>, KeyHash> programs_
      SL_GUARDED_BY(mu_);

  Mutex active_mu_;
  Active* active_ SL_GUARDED_BY(active_mu_) = nullptr;
  // Set once, under the lock; read without it at the start of a run.
  std::atomic<bool> closed_{false};
};

}  // namespace sluice
