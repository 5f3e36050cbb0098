// SpinLock: excludes other threads for a few instructions, where a mutex would
// cost more than the work it guards. A holder must not wait and must not run
// foreign code: builds with checks detect arrays destroyed meanwhile (Buffer's
// destructor calls HeldHere).
#pragma once

#include <atomic>
#include <thread>

#include "sluice/base/event_count.h"

namespace sluice {

class SpinLock {
 public:
  void lock() {
    for (int tries = 0; flag_.test_and_set(std::memory_order_acquire);) {
      SpinPause();
      if (++tries % 256 == 0) std::this_thread::yield();
    }
    Count(1);
  }
  void unlock() {
    Count(-1);
    flag_.clear(std::memory_order_release);
  }

  // Whether this thread holds one. False in builds without checks.
  static bool HeldHere() {
#ifdef NDEBUG
    return false;
#else
    return held_ > 0;
#endif
  }

 private:
#ifdef NDEBUG
  static void Count(int) {}
#else
  static void Count(int by) { held_ += by; }
  inline static thread_local constinit int held_ = 0;
#endif

  std::atomic_flag flag_;
};

}  // namespace sluice
