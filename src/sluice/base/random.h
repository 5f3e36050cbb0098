// Counter-based random numbers: Philox4x32 with ten rounds. A number is a pure
// function of key and counter, so any element of any stream can be computed
// anywhere, in any order, on any number of threads, with the same result.
//
// Plain values and functions without state; use from any thread.
#pragma once

#include <array>
#include <cstdint>

namespace sluice {

// The inputs of a stream of numbers: the op (key), the run (step), and the
// user's seeds.
struct RandomKey {
  uint64_t key = 0;  // mixed from seeds and op key
  uint64_t step = 0;

  // Mixes so that keys differing in one bit of one part are unrelated.
  static RandomKey Of(uint64_t session_seed, uint64_t op_seed, uint64_t op_key,
                      uint64_t step) {
    return {Mix(Mix(Mix(session_seed) ^ op_seed) ^ op_key), step};
  }

  static uint64_t Mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
};

using RandomBlock = std::array<uint32_t, 4>;

// Philox4x32-10 of a 128-bit counter under a 64-bit key.
inline RandomBlock Philox(RandomBlock counter, uint32_t k0, uint32_t k1) {
  for (int round = 0; round < 10; ++round) {
    uint64_t p0 = uint64_t{0xd2511f53u} * counter[0];
    uint64_t p1 = uint64_t{0xcd9e8d57u} * counter[2];
    counter = {static_cast<uint32_t>(p1 >> 32) ^ counter[1] ^ k0,
               static_cast<uint32_t>(p1),
               static_cast<uint32_t>(p0 >> 32) ^ counter[3] ^ k1,
               static_cast<uint32_t>(p0)};
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
  return counter;
}

// Four words: number `block` of the stream.
inline RandomBlock RandomBits(const RandomKey& key, uint64_t block) {
  return Philox(
      {static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
       static_cast<uint32_t>(key.step), static_cast<uint32_t>(key.step >> 32)},
      static_cast<uint32_t>(key.key), static_cast<uint32_t>(key.key >> 32));
}

// Uniform in [0, 1): the top bits of a word, as many as the type can represent.
inline float UniformFloat(uint32_t bits) {
  return static_cast<float>(bits >> 8) * 0x1p-24f;
}
inline double UniformDouble(uint32_t high, uint32_t low) {
  uint64_t bits = uint64_t{high} << 32 | low;
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

}  // namespace sluice
