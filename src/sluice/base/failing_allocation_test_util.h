// Allocation failures for tests: replaces operator new and the memory of arrays
// in a test program, and runs work with its n-th allocation failing, for every
// n. Include it in one file of a program, and only if no sanitizer has replaced
// the allocator.
#pragma once

#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "sluice/base/caught.h"
#include "sluice/base/sanitizers.h"

namespace sluice {

// Counts down while it is positive; the call that finds 1 fails.
inline std::atomic<int64_t> fail_at{0};
inline std::atomic<int64_t> failed{0};

inline bool Fails() {
  if (fail_at.load(std::memory_order_relaxed) <= 0) return false;
  if (fail_at.fetch_sub(1, std::memory_order_relaxed) != 1) return false;
  failed.fetch_add(1, std::memory_order_relaxed);
  return true;
}

// Runs `work`, which returns a Status, with the n-th allocation failing, for
// every n until none fails; calls `check` after each run.
template <class Work, class Check>
void ForEveryAllocation(Work work, Check check) {
  if (SL_ASAN || SL_TSAN) GTEST_SKIP() << "a sanitizer has its own allocator";
  int64_t errors = 0;
  for (int64_t n = 1; n < 100'000; ++n) {
    failed = 0;
    fail_at = n;
    Status status = Guarded([&]() -> Status { return work(); });
    fail_at = 0;
    bool came = failed.load() > 0;
    errors += !status.ok();
    if (!status.ok()) {
      ASSERT_TRUE(came) << status.ToString();
      ASSERT_EQ(status.code(), Code::kResourceExhausted) << status.ToString();
    }
    ASSERT_NO_FATAL_FAILURE(check()) << "after allocation " << n;
    if (!came) {
      std::printf("%lld allocations failed, %lld errors\n",
                  static_cast<long long>(n - 1),
                  static_cast<long long>(errors));
      EXPECT_GT(errors, 0);
      return;
    }
  }
  FAIL() << "it never ran to its end";
}

}  // namespace sluice

#if !SL_ASAN && !SL_TSAN
void* operator new(std::size_t bytes) {
  void* p = sluice::Fails() ? nullptr : std::malloc(bytes > 0 ? bytes : 1);
  if (!p) throw std::bad_alloc();
  return p;
}
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
extern "C" void* aligned_alloc(size_t alignment, size_t bytes) noexcept {
  return sluice::Fails() ? nullptr : memalign(alignment, bytes);
}
#endif
