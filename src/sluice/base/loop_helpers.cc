#include "sluice/base/loop_helpers.h"

#include <pthread.h>

#include "sluice/base/thread_annotations.h"

namespace sluice {

namespace {

Mutex mu;
LoopHelper* helpers SL_GUARDED_BY(mu) = nullptr;
std::atomic<int32_t> count{0};

// A forked child has none of the sleeping threads, and must not inherit the
// lock held by one of them.
void BeforeFork() SL_NO_THREAD_SAFETY_ANALYSIS { mu.lock(); }
void InParent() SL_NO_THREAD_SAFETY_ANALYSIS { mu.unlock(); }
void InChild() SL_NO_THREAD_SAFETY_ANALYSIS {
  helpers = nullptr;
  count.store(0, std::memory_order_relaxed);
  mu.unlock();
}
[[maybe_unused]] const int at_fork =
    pthread_atfork(&BeforeFork, &InParent, &InChild);

}  // namespace

LoopHelper::LoopHelper(const WorkerPool* pool, EventCount& event)
    : pool_(pool), event_(event) {
  if (!pool_) return;
  MutexLock lock(mu);
  next_ = helpers;
  helpers = this;
  count.fetch_add(1, std::memory_order_seq_cst);
}

LoopHelper::~LoopHelper() {
  if (!pool_) return;
  MutexLock lock(mu);
  LoopHelper** at = &helpers;
  while (*at && *at != this) at = &(*at)->next_;
  if (!*at) return;  // in a child of fork(): no longer registered
  *at = next_;
  count.fetch_sub(1, std::memory_order_relaxed);
}

void LoopHelper::Wake(const WorkerPool* pool, int64_t most) {
  if (count.load(std::memory_order_seq_cst) == 0) return;
  MutexLock lock(mu);
  for (LoopHelper* h = helpers; h && most > 0; h = h->next_) {
    if (h->pool_ != pool) continue;
    h->event_.Notify();
    --most;
  }
}

}  // namespace sluice
