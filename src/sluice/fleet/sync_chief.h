// SyncChief: leads synchronous training in a session. It waits for gradients,
// decides which of them a step uses (fleet/admission.h), runs the update and
// hands out tokens.
//
//   dist::SyncChief chief(sync, session);
//   chief.Start();
//   for (...) chief.Step();
//   chief.Finish();              // every worker has ended its last step
//
// Workers run their steps concurrently, in separate threads or processes:
// Train() does both. One thread at a time; its arguments must outlive it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sluice/fleet/admission.h"
#include "sluice/fleet/backup_choice.h"
#include "sluice/fleet/run_workers.h"
#include "sluice/fleet/sync_replicas.h"
#include "sluice/front/session.h"

namespace sluice::distributed {

struct SyncStats {
  int64_t steps = 0;             // updates
  int64_t admitted = 0;          // gradients used
  std::vector<int64_t> dropped;  // late gradients, by worker
  int backups = 0;               // gradients the next step does not wait for
  // Mean seconds from a token to the gradient, by worker; 0: none yet. Includes
  // the time a gradient waits for the chief.
  std::vector<double> seconds;
};

class SyncChief {
 public:
  // Each wait for gradients ends after `timeout_ms` with an error that names
  // the missing workers; 0: no limit.
  SyncChief(const SyncReplicas& replicas, Session& session,
            int64_t timeout_ms = 0,
            std::shared_ptr<Cancellation> cancellation = nullptr);

  // Hands out tokens for the session's step. Throws sluice::Error, like all.
  void Start();
  // One update. Returns the workers whose gradients it used.
  std::vector<int> Step();
  // Drops pending gradients and gives every worker its last token
  // (SyncReplicas::kLastToken).
  void Finish();

  const SyncStats& stats() const { return stats_; }

 private:
  // Waits for `wanted` arrivals. Late gradients are dropped at once, and their
  // workers get tokens for this step.
  void Take(int64_t wanted);
  void Drop(const std::vector<int>& late, int64_t token);
  // The chosen workers as a mask, and the tokens of released ones.
  std::vector<bool> Chosen(const std::vector<int>& workers) const;
  RunOptions Options() const;
  double Now() const;

  const SyncReplicas& replicas_;
  const int64_t timeout_ms_;
  const std::shared_ptr<Cancellation> cancellation_;
  Callable arrivals_, update_, drop_, step_;
  std::unique_ptr<Admission> admission_;
  BackupChoice choice_;
  std::vector<double> released_;  // when each worker got its token
  std::vector<int64_t> handed_;   // in total, by worker
  SyncStats stats_;
};

// The feeds of a worker's step, for each run.
using WorkerFeeds = std::function<Feeds(int worker)>;

// Runs `steps` updates, with a thread for each worker's step; all steps are in
// the session's graph. Throws the first error of any worker, with its number,
// after stopping the others.
SyncStats Train(const SyncReplicas& replicas, Session& session, int64_t steps,
                const WorkerFeeds& feeds = nullptr);
// Runs one worker, in its own process, until its last token. Returns the number
// of steps.
int64_t Work(const SyncReplicas& replicas, Session& session, int worker,
             const WorkerFeeds& feeds = nullptr,
             const RunOptions& options = {});

}  // namespace sluice::distributed
