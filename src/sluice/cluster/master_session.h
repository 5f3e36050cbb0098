// MasterSession: a client's session, where its graphs are split and its steps
// are led. Each graph that was prepared is split by task, and its pieces are
// registered, once; a step is then one message for each task.
//
// Tasks are attached when a graph first needs them. When one is lost, all are
// attached anew under another number (an epoch) with the next run, so that
// nothing of the old epoch reaches the new one.
//
// Thread safe. Kept by whoever runs something in it; nobody waits in a call.
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

// What a session needs of the server it is in.
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

  // Waits for the tasks: on a thread of its own.
  Result<uint64_t> Prepare(const PrepareGraph& request);
  // Which node goes where and why, and how each task would run its part. Waits.
  Result<std::string> Explain(const PrepareGraph& request);
  void Run(const RunPrepared& request, std::vector<Array> feeds, RunDone done);
  void Cancel(uint64_t request, const Status& why);
  void Release(uint64_t prepared);
  // Stops what runs, refuses what comes.
  void Close(const Status& why);

  int64_t num_steps() const;
  int64_t num_prepared() const;

 private:
  struct Epoch;
  struct Split;
  struct Prepared;
  struct Step;

  // limit_ms: how long tasks may take to answer; 0: while they are connected.
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
  // Held while tasks are attached and pieces registered; before mu_.
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
  // Requests that were seen: one that comes twice is refused.
  std::unordered_set<uint64_t> seen_ SL_GUARDED_BY(mu_);
  std::deque<uint64_t> seen_order_ SL_GUARDED_BY(mu_);
  // Requests that were to be stopped and did not run, the last few: large feeds
  // may still be on their way.
  std::deque<std::pair<uint64_t, Status>> stopped_early_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice::cluster
