// Seconds per call of functions that are compared, taken in turns: each round
// every function runs for some milliseconds in short batches, and the best
// batch counts, so that a slow spell of the machine hurts nobody.
//
// Between turns everybody rests. Idle threads of other libraries spin before
// they sleep and would take the cores from whoever comes next.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace sluice::bench {

struct TimingOptions {
  int rounds = 7;
  double turn_seconds = 4e-3;   // at least one batch
  double batch_seconds = 4e-4;  // at least one call
  double rest_seconds = 2e-3;
  int64_t max_calls = 1 << 16;  // in a batch
};

// A function that makes `calls` calls, so many times over, and returns the
// seconds the fastest batch took.
using TimedCalls = std::function<double(int64_t calls, int64_t batches)>;

// Wraps a plain function: one call to wake its threads, then the timed ones.
TimedCalls Timed(std::function<void()> function);

// The best seconds per call of each.
std::vector<double> SecondsPerCall(const TimingOptions& options,
                                   const std::vector<TimedCalls>& functions);
std::vector<double> SecondsPerCall(
    const TimingOptions& options,
    const std::vector<std::function<void()>>& functions);

void Rest(double seconds);

}  // namespace sluice::bench
