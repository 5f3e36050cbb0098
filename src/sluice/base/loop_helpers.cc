#include "sluice/base/loop_helpers.h"

#include "sluice/base/thread_annotations.h"

namespace sluice {

namespace {

Mutex mu;
LoopHelper* helpers SL_GUARDED_BY(mu) = nullptr;
std::atomic<int32_t> count{0};

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
  while (*at != this) at = &(*at)->next_;
  *at = next_;
  count.fetch_sub(1, std::memory_order_relaxed);
}

void LoopHelper::Wake(const WorkerPool* pool) {
  if (count.load(std::memory_order_seq_cst) == 0) return;
  MutexLock lock(mu);
  for (LoopHelper* h = helpers; h; h = h->next_) {
    if (h->pool_ == pool) h->event_.Notify();
  }
}

}  // namespace sluice
