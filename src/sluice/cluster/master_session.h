// MasterSession: a client's session on the master, where its graphs are split
// and its steps are led. Each prepared graph is split by task and its pieces
// are registered once; a step is then one message per task.
//
// Tasks are attached when a graph first needs them. When one is lost, the next
// run attaches all of them again under a new number (an epoch), so that nothing
// of the old epoch reaches the new one.
//
// Thread safe. Kept alive by the code that runs in it; calls do not block
// unless they say so.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/base/timer.h"
#include "sluice/cluster/cluster_spec.h"
#include "sluice/cluster/messages.h"
#include "sluice/cluster/task_link.h"
#include "sluice/graph/graph.h"

namespace sluice::cluster {

// What a session needs from its server.
struct MasterPlace {
  ClusterSpec Spec() const {
    MutexLock lock(mu);
    return spec;
  }
  mutable Mutex mu;
  ClusterSpec spec SL_GUARDED_BY(mu);
  TaskWorker* worker = nullptr;  // the server's own task
  Transport* transport = nullptr;
  TransportOptions options;
};

class MasterSession : public std::enable_shared_from_this<MasterSession> {
 public:
  MasterSession(uint64_t id, uint64_t seed, const MasterPlace& place);
  ~MasterSession();
  uint64_t id() const { return id_; }

  // Blocks until the tasks have answered: call on a separate thread.
  Result<uint64_t> Prepare(const PrepareGraph& request);
  // The task of each node and why, and how each task would run its part.
  // Blocks.
  Result<std::string> Explain(const PrepareGraph& request);
  void Run(const RunPrepared& request, std::vector<Array> feeds, RunDone done);
  void Cancel(uint64_t request, const Status& why);
  void Release(uint64_t prepared);
  // Stops running steps and refuses new ones.
  void Close(const Status& why);

  int64_t num_steps() const;
  int64_t num_prepared() const;

 private:
  struct Epoch;
  struct Split;
  struct Prepared;
  struct Step;

  // limit_ms: time for tasks to answer; 0: while they are connected.
  Result<std::shared_ptr<Split>> SplitOf(Prepared& prepared, int64_t limit_ms);
  Result<std::shared_ptr<Split>> Build(Prepared& prepared,
                                       std::shared_ptr<Epoch> epoch,
                                       int64_t limit_ms);
  Status Attach(Epoch& epoch, const std::vector<std::string>& tasks,
                int64_t limit_ms);
  std::shared_ptr<Epoch> CurrentEpoch();
  void RunSplit(const RunPrepared& request, std::vector<Array> feeds,
                std::shared_ptr<Split> split, RunDone done);
  void PieceDone(const std::shared_ptr<Step>& step, size_t piece,
                 RunResult result);
  void Stop(const std::shared_ptr<Step>& step, const Status& why,
            size_t but_for);
  void Finish(const std::shared_ptr<Step>& step);

  const uint64_t id_;
  const MasterPlace& place_;
  // Held while tasks are attached and pieces registered; acquired before mu_.
  Mutex build_mu_;
  mutable Mutex mu_;
  bool closed_ SL_GUARDED_BY(mu_) = false;
  uint64_t seed_ SL_GUARDED_BY(mu_);
  uint64_t next_prepared_ SL_GUARDED_BY(mu_) = 1;
  uint64_t next_step_ SL_GUARDED_BY(mu_) = 1;
  std::shared_ptr<Epoch> epoch_ SL_GUARDED_BY(mu_);
  std::unordered_map<uint64_t, std::shared_ptr<Prepared>> prepared_
      SL_GUARDED_BY(mu_);
  std::map<uint64_t, std::shared_ptr<Step>> steps_ SL_GUARDED_BY(mu_);
  // Recent requests: a duplicate is refused.
  std::unordered_set<uint64_t> seen_ SL_GUARDED_BY(mu_);
  std::deque<uint64_t> seen_order_ SL_GUARDED_BY(mu_);
  // The last few requests that were cancelled before they ran: their large
  // feeds may still be in transit.
  std::deque<std::pair<uint64_t, Status>> stopped_early_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice::cluster
