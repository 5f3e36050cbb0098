// Copies rows of a few to a few hundred bytes, as gather, scatter and strided
// copies do millions of times: a call of memcpy and its choice of a path would
// cost more than the copying.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sluice {

// Rows up to this many bytes are copied in line.
inline constexpr int64_t kInlineCopyBytes = 512;

namespace copy_internal {

template <int64_t kBytes>
inline void Move(char* to, const char* from) {
  std::memcpy(to, from, kBytes);  // a load and a store
}

// Two copies that meet or overlap: any size from kBytes to twice that.
template <int64_t kBytes>
inline void MoveEnds(char* to, const char* from, int64_t n) {
  char head[kBytes], tail[kBytes];
  std::memcpy(head, from, kBytes);
  std::memcpy(tail, from + n - kBytes, kBytes);
  std::memcpy(to, head, kBytes);
  std::memcpy(to + n - kBytes, tail, kBytes);
}

}  // namespace copy_internal

// REQUIRES: n >= 0; the two do not overlap.
inline void CopyBytes(char* to, const char* from, int64_t n) {
  using copy_internal::Move;
  using copy_internal::MoveEnds;
  if (n >= 32) {
    if (n > kInlineCopyBytes) {
      std::memcpy(to, from, static_cast<size_t>(n));
      return;
    }
    int64_t i = 0;
    for (; i + 64 <= n; i += 64) Move<64>(to + i, from + i);
    if (i + 32 <= n) {
      Move<32>(to + i, from + i);
      i += 32;
    }
    if (i < n) Move<32>(to + n - 32, from + n - 32);
  } else if (n >= 16) {
    MoveEnds<16>(to, from, n);
  } else if (n >= 8) {
    MoveEnds<8>(to, from, n);
  } else if (n >= 4) {
    MoveEnds<4>(to, from, n);
  } else {
    for (int64_t i = 0; i < n; ++i) to[i] = from[i];
  }
}

}  // namespace sluice
