// Counts what this program asks the system's allocator for.
#pragma once

#include <cstdint>

namespace sluice::bench {

// Calls of operator new so far, in all threads, and blocks the host allocator
// has taken from the system.
int64_t HeapAllocations();

}  // namespace sluice::bench
