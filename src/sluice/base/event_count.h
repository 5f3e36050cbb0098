// EventCount: lets threads sleep until a condition they check has changed. The
// sleeper reads Prepare(), checks its condition, and calls Wait() with the
// value read; the thread that changes the condition calls Notify() afterwards.
// A notification between Prepare and Wait makes Wait return at once.
#pragma once

#include <atomic>
#include <cstdint>

namespace sluice {

class EventCount {
 public:
  uint32_t Prepare() {
    waiters_.fetch_add(1, std::memory_order_seq_cst);
    return word_.load(std::memory_order_seq_cst);
  }
  // Every Prepare must be followed by Wait or Cancel.
  void Cancel() { waiters_.fetch_sub(1, std::memory_order_relaxed); }
  void Wait(uint32_t seen);
  bool has_waiters() const {
    return waiters_.load(std::memory_order_seq_cst) > 0;
  }
  // Wakes up to `count` sleepers; costs one load if there are none.
  void Notify(int count = 1 << 30);

 private:
  std::atomic<uint32_t> word_{0};
  std::atomic<int32_t> waiters_{0};
};

// A hint to the core that this thread is waiting in a loop.
inline void SpinPause() {
#if defined(__aarch64__)
  asm volatile("isb");
#elif defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace sluice
