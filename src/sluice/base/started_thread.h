// StartedThread: creates every thread of the library, so that one place can
// report that the system has no more.
//
//   std::thread t = StartedThread([this] { Main(); });
//
// Throws std::system_error (EAGAIN) if the system has no more threads, as
// std::thread does, and std::bad_alloc. Callers can continue without the
// thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <system_error>
#include <thread>
#include <utility>

namespace sluice {

// For tests: counts down while it is positive, and the call that finds 1 fails.
inline std::atomic<int64_t> fail_thread_at{0};

template <class F>
std::thread StartedThread(F&& f) {
  if (fail_thread_at.load(std::memory_order_relaxed) > 0 &&
      fail_thread_at.fetch_sub(1, std::memory_order_relaxed) == 1) {
    throw std::system_error(
        std::make_error_code(std::errc::resource_unavailable_try_again));
  }
  return std::thread(std::forward<F>(f));
}

}  // namespace sluice
