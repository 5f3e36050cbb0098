// The memory this process uses at once, in bytes.
#pragma once

#include <cstdint>

namespace sluice::bench {

// Gives back what allocators keep, and counts from what is left. False where
// the system does not let a process do that.
bool ForgetPeak();
// The most since, above what was left then.
int64_t PeakSinceForget();

}  // namespace sluice::bench
