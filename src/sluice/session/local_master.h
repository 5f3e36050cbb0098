// LocalMaster: runs steps of a graph in this process. Prunes the graph to what
// a run needs, optimises and plans it, caches the plan by (feeds, fetches,
// targets), and runs it; holds the containers with the graph's state.
//
// Thread safe: any number of steps run at once from any threads, while the
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
  // Null: the process's own pool. A pool of parallelism 1 runs everything on
  // the calling thread.
  WorkerPool* pool = nullptr;
  // Null: this master's own. Masters that share one share named state.
  std::shared_ptr<ResourceManager> resources;
  LocalPlacement placement{};
};

// What a run is given and gives: a few, as a rule, and then nothing is taken
// from the heap for the list.
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

  // The cached program for this choice.
  Result<std::shared_ptr<Program>> ProgramFor(std::span<const Value> feeds,
                                              std::span<const Value> fetches,
                                              std::span<Node* const> targets,
                                              ExecutorChoice executor,
                                              bool nan_trap = false);
  // Runs a program on feeds in its order; appends the results. The feeds are
  // taken: of those that nobody else holds the step may use the memory.
  Status RunProgram(Program& program, std::span<Array> feeds,
                    ArrayList* results, const RunOptions& options,
                    RunMetadata* metadata);

  // What the plan of such a run looks like, and why.
  Result<std::string> Explain(std::span<const Value> fetches,
                              const FeedList& feeds,
                              std::span<Node* const> targets,
                              ExecutorChoice executor = ExecutorChoice::kAuto);

  // What such a run has live at most, before it runs.
  Result<MemoryForecast> PlanMemory(std::span<const Value> fetches,
                                    const FeedList& feeds,
                                    std::span<Node* const> targets);

  // Cancels what runs, refuses what comes.
  void Close();

  Graph& graph() { return graph_; }
  ResourceManager& resources() { return *resources_; }
  WorkerPool* pool() const { return pool_; }
  // The place in the stream of random numbers of the next step.
  RandomState random_state() const { return {seed_, next_step_}; }
  void set_random_state(const RandomState& state) {
    seed_ = state.seed;
    next_step_ = state.calls;
  }
  // The place of a step that begins now.
  RandomState NextStep() {
    return {seed_.load(std::memory_order_relaxed),
            next_step_.fetch_add(1, std::memory_order_relaxed)};
  }
  size_t num_programs() const;

  // A running step, known to Close(). Lives on the stack of whoever runs it.
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

  mutable Mutex mu_;  // programs; taken before graph_.mu()
  std::unordered_map<Key, std::shared_ptr<Program>, KeyHash> programs_
      SL_GUARDED_BY(mu_);

  Mutex active_mu_;
  Active* active_ SL_GUARDED_BY(active_mu_) = nullptr;
  // Set under the lock, once; looked at without it where a run begins.
  std::atomic<bool> closed_{false};
};

}  // namespace sluice
