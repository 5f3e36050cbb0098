#include "sluice/base/event_count.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sluice {

void EventCount::Wait(uint32_t seen) {
  syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
  waiters_.fetch_sub(1, std::memory_order_seq_cst);
}

void EventCount::Notify(int count) {
  // Pairs with Prepare: either the sleeper's check sees the change made before
  // this call, or this load sees the sleeper.
  if (waiters_.load(std::memory_order_seq_cst) == 0) return;
  word_.fetch_add(1, std::memory_order_seq_cst);
  syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

}  // namespace sluice
