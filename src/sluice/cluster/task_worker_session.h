// The state of a TaskWorker for one session of a master, and for a stream of
// another task. Part of TaskWorker.
#pragma once

#include <map>
#include <string>
#include <unordered_set>

#include "sluice/cluster/task_worker.h"

namespace sluice::cluster {

struct TaskWorker::Session {
  Session(uint64_t number, std::string its_master)
      : id(number), master(std::move(its_master)) {}

  const uint64_t id;
  const std::string master;
  Mutex mu;
  bool closed SL_GUARDED_BY(mu) = false;
  uint64_t next_piece SL_GUARDED_BY(mu) = 1;
  std::unordered_map<uint64_t, PieceRef> pieces SL_GUARDED_BY(mu);
  std::map<uint64_t, std::shared_ptr<TaskStep>> steps SL_GUARDED_BY(mu);
  // Finished steps: those before `oldest`, and these. Late messages for them
  // are dropped.
  uint64_t oldest SL_GUARDED_BY(mu) = 0;
  std::unordered_set<uint64_t> over SL_GUARDED_BY(mu);

  bool IsOver(uint64_t step) const SL_REQUIRES(mu) {
    return closed || step < oldest || over.count(step) != 0;
  }
};

struct TaskWorker::Inbound {
  std::shared_ptr<Stream> stream;
  Hello hello;
  bool greeted = false;
  bool shares_memory = false;
  std::shared_ptr<Peer> peer;  // the same task, to fetch from
};

}  // namespace sluice::cluster
