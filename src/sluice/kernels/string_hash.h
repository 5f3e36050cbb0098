// A 64-bit hash of strings that never changes: results of StringHashBucket are
// stored in models. Not for secrets. Plain functions.
#pragma once

#include <cstdint>
#include <string_view>

namespace sluice {

// Mixes in eight bytes at a time by multiplication, then the rest with the
// length; the same on every machine for any byte order.
inline uint64_t StringHash(std::string_view text, uint64_t seed = 0) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15u;
  auto mix = [](uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  };
  uint64_t hash = mix(seed + kOdd);
  size_t at = 0;
  for (; text.size() - at >= 8; at += 8) {
    uint64_t word = 0;
    for (size_t k = 0; k < 8; ++k) {
      word |= uint64_t{static_cast<unsigned char>(text[at + k])} << (8 * k);
    }
    hash = mix(hash ^ word) + kOdd;
  }
  uint64_t rest = 0;
  for (size_t k = 0; at + k < text.size(); ++k) {
    rest |= uint64_t{static_cast<unsigned char>(text[at + k])} << (8 * k);
  }
  return mix(mix(hash ^ rest) + text.size() * kOdd);
}

}  // namespace sluice
