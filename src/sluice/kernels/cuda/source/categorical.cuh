// Draws from rows of weights, as in kernels/cpu/categorical.h: running sums of
// every row, one addition after another, and draws located in them by search.
// T: the type of weights, or of their logarithms (kLogits).
#pragma once

#include "sluice/base/random.h"
#include "sluice/cuda/checks.cuh"
#include "sluice/cuda/elementwise.cuh"
#include "sluice/kernels/cpu/strict_math.h"

namespace sluice {

struct CategoricalArgs {
  const void* x;
  double* sums;
  int64_t* to;
  int64_t rows, n, samples;
  RandomKey key;
  Check* check;
};

constexpr int kSumTile = 1024;

// Stores the weights of a row in place of its future sums. One block of 256
// threads per row.
inline double LargestOf(const T* x, int64_t n, double* shared) {
  double largest = -HUGE_VAL;
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
    double v = double(Widen(x[i]));
    largest = v > largest ? v : largest;
  }
  shared[threadIdx.x] = largest;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      double other = shared[threadIdx.x + half];
      if (other > shared[threadIdx.x]) shared[threadIdx.x] = other;
    }
    __syncthreads();
  }
  largest = shared[0];
  __syncthreads();
  return largest;
}

inline double WeightOf(T x, double largest) {
  double v = double(Widen(x));
  if constexpr (kLogits) {
    if (v == -HUGE_VAL) return 0;
    if (!std::isfinite(v)) return v < 0 || v > 0 ? -1.0 : v;
    return StrictExp(v - largest);
  } else {
    return v;
  }
}

// Reports an error as the row's number times n + 1, plus 1 and the column if a
// single weight is wrong; and the weight's bits.
SL_GLOBAL(running_sums, CategoricalArgs, a) {
  __shared__ double tile[kSumTile];
  __shared__ double sum;
  __shared__ bool wrong;
  for (int64_t r = blockIdx.x; r < a.rows; r += gridDim.x) {
    const T* x = static_cast<const T*>(a.x) + r * a.n;
    double largest = 0;
    if constexpr (kLogits) largest = LargestOf(x, a.n, tile);
    if (threadIdx.x == 0) {
      sum = 0;
      wrong = false;
    }
    for (int64_t first = 0; first < a.n; first += kSumTile) {
      int64_t left = a.n - first;
      int count = int(left < kSumTile ? left : kSumTile);
      for (int i = threadIdx.x; i < count; i += blockDim.x) {
        tile[i] = WeightOf(x[first + i], largest);
      }
      __syncthreads();
      if (threadIdx.x == 0 && !wrong) {
        for (int i = 0; i < count; ++i) {
          double w = tile[i];
          if (!(w >= 0 && w <= 1e300)) {
            Report(a.check, r * (a.n + 1) + first + i + 1,
                   std::bit_cast<int64_t>(w));
            wrong = true;
            break;
          }
          sum += w;
          tile[i] = sum;
        }
      }
      __syncthreads();
      for (int i = threadIdx.x; i < count; i += blockDim.x) {
        a.sums[r * a.n + first + i] = tile[i];
      }
      __syncthreads();
    }
    if (threadIdx.x == 0 && !wrong && !(sum > 0)) {
      Report(a.check, r * (a.n + 1), 0);
    }
    __syncthreads();
  }
}

SL_GLOBAL(draw_columns, CategoricalArgs, a) {
  int64_t all = a.rows * a.samples;
  for (int64_t e = FirstThread(); e < all; e += AllThreads()) {
    RandomBlock bits = RandomBits(a.key, uint64_t(e) / 2);
    int k = int(e % 2 * 2);
    const double* sums = a.sums + e / a.samples * a.n;
    double total = sums[a.n - 1];
    double target = UniformDouble(bits[k], bits[k + 1]) * total;
    // Rounding may yield the whole total, which no sum exceeds: then the first
    // sum that reaches it.
    bool inside = target < total;
    int64_t first = 0;
    for (int64_t left = a.n; left > 0;) {
      int64_t half = left / 2;
      double at = sums[first + half];
      bool before = inside ? at <= target : at < total;
      first += before ? half + 1 : 0;
      left = before ? left - half - 1 : half;
    }
    a.to[e] = first < a.n ? first : a.n - 1;
  }
}

// A class and its arrival time.
struct Turn {
  double when;
  int64_t column;  // -1: none
  bool Before(const Turn& o) const {
    if (column < 0 || o.column < 0) return column >= 0;
    return when != o.when ? when < o.when : column < o.column;
  }
};

// Without replacement: every class arrives after an exponential time with its
// weight as the rate, and the first arrivals are drawn. The times are stored in
// place of the sums. One block of 256 threads per row.
SL_GLOBAL(draw_first, CategoricalArgs, a) {
  __shared__ Turn turns[256];
  for (int64_t r = blockIdx.x; r < a.rows; r += gridDim.x) {
    const T* x = static_cast<const T*>(a.x) + r * a.n;
    double* waits = a.sums + r * a.n;
    for (int64_t i = threadIdx.x; i < a.n; i += blockDim.x) {
      int64_t e = r * a.n + i;
      RandomBlock bits = RandomBits(a.key, uint64_t(e) / 2);
      int k = int(e % 2 * 2);
      double weight = WeightOf(x[i], 0);
      // 1 - u is never 0.
      double wait = NegativeLog(1 - UniformDouble(bits[k], bits[k + 1]));
      waits[i] = weight > 0 ? wait / weight : -1;
    }
    Turn last = {-1, -1};
    for (int64_t s = 0; s < a.samples; ++s) {
      Turn first = {0, -1};
      for (int64_t i = threadIdx.x; i < a.n; i += blockDim.x) {
        Turn turn = {waits[i], i};
        bool due = turn.when >= 0 && (last.column < 0 || last.Before(turn));
        if (due && turn.Before(first)) first = turn;
      }
      turns[threadIdx.x] = first;
      __syncthreads();
      for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half &&
            turns[threadIdx.x + half].Before(turns[threadIdx.x])) {
          turns[threadIdx.x] = turns[threadIdx.x + half];
        }
        __syncthreads();
      }
      last = turns[0];
      __syncthreads();
      if (last.column < 0) {
        if (threadIdx.x == 0) Report(a.check, r, 0);
        break;
      }
      if (threadIdx.x == 0) a.to[r * a.samples + s] = last.column;
    }
  }
}

}  // namespace sluice
