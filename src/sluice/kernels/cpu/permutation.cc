#include "sluice/kernels/cpu/permutation.h"

#include "sluice/kernels/cpu/random_int.h"

namespace sluice {

void FillPermutation(const RandomKey& key, int64_t n, int64_t* to) {
  // Swaps each number with one at a random position so far.
  auto put = [&](int64_t i, uint64_t place) {
    auto p = static_cast<int64_t>(place);
    to[i] = to[p];
    to[p] = i;
  };
  if (n <= INT32_MAX) {
    ForEachWord(key, 0, n, [&](int64_t i, uint32_t word) {
      put(i, BelowFrom32(word, static_cast<uint32_t>(i) + 1, key, i));
    });
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    RandomBlock bits = RandomBits(key, static_cast<uint64_t>(i));
    put(i, BelowFrom64(uint64_t{bits[0]} << 32 | bits[1],
                       static_cast<uint64_t>(i) + 1, key, i));
  }
}

}  // namespace sluice
