// ElementStream: random bits for one element of an array that may need any
// number of draws (rejection methods). Streams of different elements of one key
// never overlap: element i has blocks [i << 10, (i + 1) << 10). It depends only
// on key and element. A value on the stack of one thread.
#pragma once

#include "sluice/base/random.h"
#include "sluice/kernels/cpu/normal_pair.h"

namespace sluice {

class ElementStream {
 public:
  // More than any rejection method here ever needs; if it is reached, the last
  // draw is the result.
  static constexpr int kMaxDraws = 512;

  ElementStream(const RandomKey& key, int64_t element)
      : key_(key), block_(static_cast<uint64_t>(element) << 10) {}

  RandomBlock Next() { return RandomBits(key_, block_++); }
  double Uniform() {  // in [0, 1)
    RandomBlock b = Next();
    return UniformDouble(b[0], b[1]);
  }
  NormalPair Normals() {
    RandomBlock b = Next();
    return NormalDoubles(b[0], b[1], b[2], b[3]);
  }

 private:
  RandomKey key_;
  uint64_t block_;
};

// A separate stream family of the same op: elements rejected by a first, cheap
// draw are drawn again from there.
inline RandomKey RetryKey(const RandomKey& key) {
  return {RandomKey::Mix(key.key ^ 0x5bd1e9955bd1e995u), key.step};
}

}  // namespace sluice
