// LoopHelper: a thread outside every pool that sleeps until its own event
// happens, and may be woken meanwhile to help with a ParallelFor. The thread
// that drives a step is one: the pool counts on it (a pool of parallelism p has
// p - 1 threads), but it does not sleep with the pool's threads.
//
// Lives on the sleeping thread's stack, around its Prepare and Wait. Thread
// safe.
#pragma once

#include <cstdint>

#include "sluice/base/event_count.h"

namespace sluice {

class WorkerPool;

class LoopHelper {
 public:
  // From now on `event` is notified when a loop is posted on `pool`, so the
  // caller must look for work once more before sleeping. Null: no pool, nothing
  // happens.
  LoopHelper(const WorkerPool* pool, EventCount& event);
  ~LoopHelper();
  LoopHelper(const LoopHelper&) = delete;
  LoopHelper& operator=(const LoopHelper&) = delete;

  // Wakes at most `most` helpers of a pool, those that fell asleep last first;
  // costs one load if there are none.
  static void Wake(const WorkerPool* pool, int64_t most);

 private:
  const WorkerPool* const pool_;
  EventCount& event_;
  LoopHelper* next_ = nullptr;
};

}  // namespace sluice
