// Asking memory for a row of a large table before it is needed: copying a short
// row takes a few nanoseconds and fetching it a hundred, so that many should be
// under way at once.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sluice/kernels/cpu/isa.h"

namespace sluice {

inline constexpr int64_t kCacheLine = 64;  // bytes
// Only so much of each row; the machine goes on by itself.
inline constexpr int64_t kAskedBytes = 512;

// For reading, or for changing it in place.
template <bool kToWrite = false>
SL_INLINE void AskForRow(const char* row, int64_t bytes) {
#if defined(__aarch64__)
  // Into the second cache: the first one waits for few lines at a time, the
  // second for many, which halves the time of rows in random order.
  constexpr int kCache = 2;
#else
  // Both go through the same few places, so as near as possible.
  constexpr int kCache = 3;
#endif
  for (int64_t b = 0; b < std::min(bytes, kAskedBytes); b += kCacheLine) {
    __builtin_prefetch(row + b, kToWrite, kCache);
  }
}

}  // namespace sluice
