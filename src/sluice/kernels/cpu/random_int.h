// Unbiased integers below a bound, and the words of a stream one by one. Plain
// functions; any thread.
#pragma once

#include "sluice/kernels/cpu/element_stream.h"
#include "sluice/kernels/cpu/random_fill.h"
#include "sluice/kernels/formula/below.h"

namespace sluice {

// As BelowFrom32, for wider bounds.
inline uint64_t BelowFrom64(uint64_t first, uint64_t bound,
                            const RandomKey& key, int64_t element) {
  using Wide = unsigned __int128;
  Wide product = Wide{first} * bound;
  uint64_t too_many = (0u - bound) % bound;
  if (static_cast<uint64_t>(product) < too_many) {
    ElementStream stream(RetryKey(key), element);
    for (int draw = 0; draw < ElementStream::kMaxDraws &&
                       static_cast<uint64_t>(product) < too_many;
         ++draw) {
      RandomBlock b = stream.Next();
      product = Wide{uint64_t{b[0]} << 32 | b[1]} * bound;
    }
  }
  return static_cast<uint64_t>(product >> 64);
}

// Calls f(i, word) for every i in [begin, end) with word i of the stream.
// REQUIRES: begin is a multiple of 64.
template <class F>
void ForEachWord(const RandomKey& key, int64_t begin, int64_t end, F&& f) {
  constexpr int64_t kBlock = 1024;
  uint32_t words[kBlock];
  for (int64_t b = begin; b < end; b += kBlock) {
    int64_t e = b + kBlock < end ? b + kBlock : end;
    FillWords(key, b, e, words);
    for (int64_t i = b; i < e; ++i) f(i, words[i - b]);
  }
}

}  // namespace sluice
