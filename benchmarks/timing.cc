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
  return [function = std::move(function)](int64_t calls) {
    function();
    int64_t start = NowNanos();
    for (int64_t i = 0; i < calls; ++i) function();
    return static_cast<double>(NowNanos() - start) * 1e-9;
  };
}

std::vector<double> SecondsPerCall(const TimingOptions& options,
                                   const std::vector<TimedCalls>& functions) {
  std::vector<int64_t> calls(functions.size(), 1);
  std::vector<double> best(functions.size(),
                           std::numeric_limits<double>::max());
  for (int r = 0; r < options.rounds; ++r) {
    for (size_t i = 0; i < functions.size(); ++i) {
      Rest(options.rest_seconds);
      double per_call = functions[i](calls[i]) / static_cast<double>(calls[i]);
      best[i] = std::min(best[i], per_call);
      // From the second round on, turns of the wanted length.
      double fit = options.turn_seconds / std::max(best[i], 1e-9);
      calls[i] =
          std::clamp<int64_t>(static_cast<int64_t>(fit), 1, options.max_calls);
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
