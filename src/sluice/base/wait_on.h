// WaitOn: waits on a std::condition_variable with a Mutex, so that the analysis
// of locks sees that the lock is held before and after. Plain functions; any
// thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "sluice/base/thread_annotations.h"

namespace sluice {

// Wakes up at notifications and sometimes spuriously: call it in a loop.
inline void WaitOn(std::condition_variable& changed, Mutex& mu)
    SL_REQUIRES(mu) {
  std::unique_lock lock(mu.native(), std::adopt_lock);
  changed.wait(lock);
  lock.release();
}

// The same, with a timeout.
template <class Rep, class Period>
void WaitOnFor(std::condition_variable& changed, Mutex& mu,
               std::chrono::duration<Rep, Period> most) SL_REQUIRES(mu) {
  std::unique_lock lock(mu.native(), std::adopt_lock);
  changed.wait_for(lock, most);
  lock.release();
}

}  // namespace sluice
