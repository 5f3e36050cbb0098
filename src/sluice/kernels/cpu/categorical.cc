#include "sluice/kernels/cpu/categorical.h"

#include <algorithm>

namespace sluice {

namespace categorical_internal {

// Rows have n + 1 places: the row as a whole, then its columns.
void Report(std::atomic<int64_t>* least, int64_t row, int64_t n,
            int64_t column) {
  int64_t at = row * (n + 1) + column + 1;
  int64_t before = least->load(std::memory_order_relaxed);
  while (at < before && !least->compare_exchange_weak(before, at)) {
  }
}

BadWeight Decode(int64_t least, int64_t n) {
  if (least == kNothing) return {};
  return {least / (n + 1), least % (n + 1) - 1};
}

}  // namespace categorical_internal

void DrawColumns(const RandomKey& key, int64_t rows, int64_t n, int64_t samples,
                 const double* sums, int64_t* to, WorkerPool* pool) {
  ParallelFor(pool, rows * samples, 1024, [&](int64_t begin, int64_t end) {
    for (int64_t e = begin; e < end; ++e) {
      RandomBlock bits = RandomBits(key, static_cast<uint64_t>(e) / 2);
      auto k = static_cast<size_t>(e % 2 * 2);
      const double* first = sums + e / samples * n;
      double total = first[n - 1];
      // Rounding may give the entire total, which no sum exceeds: the last
      // column with any weight is the first whose sum reaches it.
      double target = UniformDouble(bits[k], bits[k + 1]) * total;
      const double* at = target < total
                             ? std::upper_bound(first, first + n, target)
                             : std::lower_bound(first, first + n, total);
      to[e] = at - first;
    }
  });
}

}  // namespace sluice
