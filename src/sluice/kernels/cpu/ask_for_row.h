// Prefetches a row of a large table: copying a short row takes a few
// nanoseconds and fetching it a hundred, so many fetches should be in flight at
// once. Plain functions; any thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sluice/kernels/cpu/isa.h"

namespace sluice {

inline constexpr int64_t kCacheLine = 64;  // bytes
// Only this much of each row; hardware prefetch does the rest.
inline constexpr int64_t kAskedBytes = 512;

// For reading, or for changing the row in place.
template <bool kToWrite = false>
SL_INLINE void AskForRow(const char* row, int64_t bytes) {
#if defined(__aarch64__)
  // Into the second-level cache: the first level has few outstanding misses,
  // the second level many, which halves the time for rows in random order.
  constexpr int kCache = 2;
#else
  // Both use the same few miss buffers, so prefetch as near as possible.
  constexpr int kCache = 3;
#endif
  for (int64_t b = 0; b < std::min(bytes, kAskedBytes); b += kCacheLine) {
    __builtin_prefetch(row + b, kToWrite, kCache);
  }
}

}  // namespace sluice
