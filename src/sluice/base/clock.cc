#include "sluice/base/clock.h"

namespace sluice {

double NanosPerCycle() {
  static const double kNanosPerCycle = [] {
#if defined(__aarch64__)
    uint64_t hertz;
    asm volatile("mrs %0, cntfrq_el0" : "=r"(hertz));
    if (hertz > 0) return 1e9 / static_cast<double>(hertz);
#endif
    // Two readings a couple of milliseconds apart, on both clocks.
    int64_t t0 = NowNanos();
    uint64_t c0 = CycleCount();
    int64_t t1 = t0;
    while (t1 - t0 < 2'000'000) t1 = NowNanos();
    uint64_t c1 = CycleCount();
    return c1 > c0 ? static_cast<double>(t1 - t0) / static_cast<double>(c1 - c0)
                   : 1.0;
  }();
  return kNanosPerCycle;
}

}  // namespace sluice
