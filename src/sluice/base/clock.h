// Clocks: a cycle counter for statistics and a steady clock for deadlines.
#pragma once

#include <chrono>
#include <cstdint>

namespace sluice {

// A cheap monotonic counter (about 7 ns; steady_clock costs 30 to 40).
inline uint64_t CycleCount() {
#if defined(__aarch64__)
  uint64_t t;
  asm volatile("mrs %0, cntvct_el0" : "=r"(t));
  return t;
#elif defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<uint64_t>(
      std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

// Nanoseconds per CycleCount tick, measured once per process.
double NanosPerCycle();

inline int64_t NowNanos() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace sluice
