// Unbiased integers below a bound from random bits, by Lemire's method: the
// upper half of bits * bound, drawn again in the rare case that the lower half
// indicates bias. For the host and, from its source, for other devices.
//
// Plain functions of values.
#pragma once

#include "sluice/kernels/cpu/element_stream.h"

namespace sluice {

// A number in [0, bound) from `first`, or from `element`'s retry stream.
// REQUIRES: bound >= 1.
inline uint32_t BelowFrom32(uint32_t first, uint32_t bound,
                            const RandomKey& key, int64_t element) {
  uint64_t product = uint64_t{first} * bound;
  if (static_cast<uint32_t>(product) >= bound) [[likely]] {
    return static_cast<uint32_t>(product >> 32);
  }
  uint32_t too_many = (0u - bound) % bound;
  if (static_cast<uint32_t>(product) < too_many) {
    ElementStream stream(RetryKey(key), element);
    for (int draw = 0; draw < ElementStream::kMaxDraws &&
                       static_cast<uint32_t>(product) < too_many;
         ++draw) {
      product = uint64_t{stream.Next()[0]} * bound;
    }
  }
  return static_cast<uint32_t>(product >> 32);
}

}  // namespace sluice
