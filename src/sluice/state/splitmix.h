// SplitMix: a counter-based generator. Draw k is a pure function of the seed
// and k, so the sequence does not depend on the drawing thread or on restarts.
// Not for cryptography. A value type; one thread at a time uses an object.
#pragma once

#include <cstdint>
#include <string_view>

namespace sluice {

// A bijection on 64 bits that scatters nearby inputs.
inline uint64_t MixBits(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

class SplitMix {
 public:
  explicit SplitMix(uint64_t seed) : seed_(MixBits(seed + kStep)) {}

  uint64_t Next() { return MixBits(seed_ + kStep * ++counter_); }
  // A number in [0, n). REQUIRES: 0 < n < 2^32, so that the modulo bias is
  // below 2^-32.
  uint64_t Below(uint64_t n) { return Next() % n; }

 private:
  static constexpr uint64_t kStep = 0x9e3779b97f4a7c15u;  // 2^64 / golden ratio
  uint64_t seed_;
  uint64_t counter_ = 0;
};

// A hash that is equal in every run and on every machine.
inline uint64_t HashText(std::string_view text) {
  uint64_t h = 0xcbf29ce484222325u;
  for (char c : text) {
    h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  return MixBits(h);
}

}  // namespace sluice
