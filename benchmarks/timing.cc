#include "benchmarks/timing.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "sluice/base/clock.h"

namespace sluice::bench {

void Rest(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

TimedCalls Timed(std::function<void()> function) {
  return [function = std::move(function)](int64_t calls, int64_t batches) {
    function();
    int64_t best = std::numeric_limits<int64_t>::max();
    for (int64_t b = 0; b < batches; ++b) {
      int64_t start = NowNanos();
      for (int64_t i = 0; i < calls; ++i) function();
      best = std::min(best, NowNanos() - start);
    }
    return static_cast<double>(best) * 1e-9;
  };
}

std::vector<double> SecondsPerCall(const TimingOptions& options,
                                   const std::vector<TimedCalls>& functions) {
  std::vector<double> best(functions.size(),
                           std::numeric_limits<double>::max());
  for (int r = 0; r < options.rounds; ++r) {
    for (size_t i = 0; i < functions.size(); ++i) {
      // One call in the first round; then batches of the wanted length.
      int64_t calls = 1, batches = 1;
      if (r > 0) {
        double one = std::max(best[i], 1e-9);
        calls = std::clamp<int64_t>(
            static_cast<int64_t>(options.batch_seconds / one), 1,
            options.max_calls);
        double batch = one * static_cast<double>(calls);
        batches = std::max<int64_t>(
            1, static_cast<int64_t>(options.turn_seconds / batch));
      }
      Rest(options.rest_seconds);
      best[i] = std::min(
          best[i], functions[i](calls, batches) / static_cast<double>(calls));
    }
  }
  return best;
}

std::vector<double> SecondsPerCall(
    const TimingOptions& options,
    const std::vector<std::function<void()>>& functions) {
  std::vector<TimedCalls> timed;
  for (const auto& f : functions) timed.push_back(Timed(f));
  return SecondsPerCall(options, timed);
}

}  // namespace sluice::bench
