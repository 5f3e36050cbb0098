// SyncChief: leads synchronous training in a session. It waits for gradients,
// decides which of them a step is made of (fleet/admission.h), has the update
// run and gives out tokens.
//
//   dist::SyncChief chief(sync, session);
//   chief.Start();
//   for (...) chief.Step();
//   chief.Finish();              // every worker has ended its last step
//
// Workers run their steps meanwhile, in threads or processes of their own:
// Train() does both. One thread at a time; what it is made of must outlive it.
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
  int64_t admitted = 0;          // gradients they were made of
  std::vector<int64_t> dropped;  // gradients that came late, of each worker
  int backups = 0;               // not waited for in the next step
  // Mean seconds from a token to the gradient, of each worker; 0: none yet.
  // What a gradient waits for the chief is part of it.
  std::vector<double> seconds;
};

class SyncChief {
 public:
  // Every wait for gradients ends after `timeout_ms` with an error that names
  // the workers that have not come; 0: no limit.
  SyncChief(const SyncReplicas& replicas, Session& session,
            int64_t timeout_ms = 0,
            std::shared_ptr<Cancellation> cancellation = nullptr);

  // Tokens of the session's step, for all. Throws sluice::Error, as do all.
  void Start();
  // One update. Returns the workers whose gradients it was made of.
  std::vector<int> Step();
  // What is under way is dropped, and every worker given its last token
  // (SyncReplicas::kLastToken).
  void Finish();

  const SyncStats& stats() const { return stats_; }

 private:
  // Waits for so many arrivals. What is late is dropped at once, and those
  // workers given tokens of this step.
  void Take(int64_t wanted);
  void Drop(const std::vector<int>& late, int64_t token);
  // Who is chosen, and the tokens of those released.
  std::vector<bool> Chosen(const std::vector<int>& workers) const;
  RunOptions Options() const;
  double Now() const;

  const SyncReplicas& replicas_;
  const int64_t timeout_ms_;
  const std::shared_ptr<Cancellation> cancellation_;
  Callable arrivals_, update_, drop_, step_;
  std::unique_ptr<Admission> admission_;
  BackupChoice choice_;
  std::vector<double> released_;  // when each worker was given its token
  std::vector<int64_t> handed_;   // in all, of each
  SyncStats stats_;
};

// What a worker's step is fed, each time.
using WorkerFeeds = std::function<Feeds(int worker)>;

// So many updates, with a thread for each worker's step, all of which are in
// the session's graph. Throws the first error of any, with the worker's number;
// the others are stopped then.
SyncStats Train(const SyncReplicas& replicas, Session& session, int64_t steps,
                const WorkerFeeds& feeds = nullptr);
// One worker, in a process of its own, until its last token. Returns the number
// of steps it did.
int64_t Work(const SyncReplicas& replicas, Session& session, int worker,
             const WorkerFeeds& feeds = nullptr,
             const RunOptions& options = {});

}  // namespace sluice::distributed
