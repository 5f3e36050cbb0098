// Sampling from a list of weights: rows of running sums, and draws located in
// them by search. Strict arithmetic; draws depend only on key and element.
// Plain functions; any thread.
#pragma once

#include "sluice/base/random.h"
#include "sluice/base/worker_pool.h"

namespace sluice {

// An error in a row of weights; row is -1 if there is none.
struct BadWeight {
  int64_t row = -1;
  int64_t column = -1;  // -1: all weights of the row are zero
};

// sums[r][i] = weight(r, 0) + ... + weight(r, i). A weight that is negative,
// infinite or NaN is an error, and so is a row with only zero weights.
// Several threads call weight(r, i).
template <class F>
BadWeight RunningSums(int64_t rows, int64_t n, double* sums, WorkerPool* pool,
                      const F& weight);

// to[r * samples + s] = a column of row r, with probability by weight.
void DrawColumns(const RandomKey& key, int64_t rows, int64_t n, int64_t samples,
                 const double* sums, int64_t* to, WorkerPool* pool);

// ---- Implementation. ----
namespace categorical_internal {
// Sets `*least` to the minimum of itself and row * n + column + 1.
void Report(std::atomic<int64_t>* least, int64_t row, int64_t n,
            int64_t column);
BadWeight Decode(int64_t least, int64_t n);
inline constexpr int64_t kNothing = INT64_MAX;
}  // namespace categorical_internal

template <class F>
BadWeight RunningSums(int64_t rows, int64_t n, double* sums, WorkerPool* pool,
                      const F& weight) {
  std::atomic<int64_t> least{categorical_internal::kNothing};
  int64_t grain = n > 0 ? 1 + 4096 / n : 1;
  ParallelFor(pool, rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      double sum = 0;
      for (int64_t i = 0; i < n; ++i) {
        double w = weight(r, i);
        if (!(w >= 0 && w <= 1e300)) {
          return categorical_internal::Report(&least, r, n, i);
        }
        sum += w;
        sums[r * n + i] = sum;
      }
      if (!(sum > 0)) return categorical_internal::Report(&least, r, n, -1);
    }
  });
  return categorical_internal::Decode(least.load(), n);
}

}  // namespace sluice
