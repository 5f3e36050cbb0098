// Random: random numbers for one element of a pipeline, for crops, flips and
// noise. They depend only on the stage's seed, the pass and the element's
// number, so threads and restarts do not change them.
//
//   images.map([](data::Random& random, sl::Tensor x) {
//     return random.below(2) ? sl::reverse(x, {-1}) : x;
//   }, {.threads = 4, .seed = 7});
//
// A plain value for one thread. Not for cryptography.
#pragma once

#include <cstdint>

namespace sluice::data {

class Random {
 public:
  Random() = default;
  Random(uint64_t seed, uint64_t epoch, uint64_t element)
      : key_(Mix(Mix(Mix(seed) ^ epoch) ^ element)) {}

  uint64_t next() { return Mix(key_ + kStep * ++drawn_); }
  // In [0, n). REQUIRES: n > 0; for n below 2^32 the bias is below 2^-32.
  uint64_t below(uint64_t n) {
    // The high word of next() * n, which is faster than a remainder.
    uint64_t word = next();
    uint64_t high = word >> 32, low = word & 0xffffffffu;
    return (high * n + ((low * n) >> 32)) >> 32;
  }
  // In [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  static constexpr uint64_t kStep = 0x9e3779b97f4a7c15u;  // 2^64 / golden ratio
  // A bijection on 64 bits that scatters neighbouring inputs.
  static uint64_t Mix(uint64_t x) {
    x += kStep;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  uint64_t key_ = 0;
  uint64_t drawn_ = 0;
};

}  // namespace sluice::data
