// The innermost loop of few_lines.cc: a block of a few lines of outputs by a
// few vectors, summed in registers over all channels and taps. Plain functions;
// any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "sluice/kernels/cpu/conv/lanes.h"

namespace sluice::conv {

// The numbers of lines in a block, and of rows of taps, with compiled loops.
inline constexpr int kLeastBlockLines = 2, kBlockLines = 4;
inline constexpr int kLeastKernelRows = 2, kMostKernelRows = 7;
inline constexpr int kMostLines = kBlockLines + kMostKernelRows - 1;

// The space for the weights of one column of a channel's kernel: whole vectors.
constexpr int64_t ColumnWeights(int64_t kernel_rows) {
  return (kernel_rows + 3) / 4 * 4;
}

// A column of taps is applied to this many channels before the next column:
// their lines stay in the first-level cache, and the loop is long enough for
// branch prediction.
inline constexpr int64_t kChannelsAtOnce = 32;

// The position of the weights of a channel and kernel column.
inline int64_t WeightsAt(int64_t channel, int64_t channels, int64_t column,
                         int64_t kernel_columns, int64_t kernel_rows) {
  int64_t first = channel / kChannelsAtOnce * kChannelsAtOnce;
  int64_t n = std::min(channels - first, kChannelsAtOnce);
  return (first * kernel_columns + column * n + channel - first) *
         ColumnWeights(kernel_rows);
}

// A block of outputs and its operands.
struct LineBlock {
  // Output line r uses line r + t of the image at kernel row t; there, output
  // column 0 uses the first element at kernel column 0.
  const float* lines[kMostLines];
  int64_t channel_step[kMostLines];
  int64_t channels;
  int64_t kernel_columns, dilation;
  const float* weights;  // see WeightsAt
  // At kernel columns before `inside`, some outputs of the first vector are
  // left of the image; at those from `outside` on, some of the last two are
  // right of it. The masks are for the first of these columns; the next
  // column's are `dilation` further. `right` is for the last vector; the mask
  // of the vector before it is one vector earlier.
  int64_t inside, outside;
  const int32_t *left, *right;
  float* to;
  int64_t to_line;
  int64_t columns;  // of requested outputs
};

// The weights of a column. On machines that multiply by any element of a
// register they are kept in registers.
template <int K>
struct ColumnOfWeights {
#if defined(__aarch64__)
  typedef float Four __attribute__((vector_size(16)));
  Four w[ColumnWeights(K) / 4];
  SL_INLINE explicit ColumnOfWeights(const float* p) {
    std::memcpy(w, p, sizeof w);
  }
  SL_INLINE float operator[](int i) const { return w[i / 4][i % 4]; }
#else
  const float* w;
  SL_INLINE explicit ColumnOfWeights(const float* p) : w(p) {}
  SL_INLINE float operator[](int i) const { return w[i]; }
#endif
};

// R lines by V vectors, K rows of taps: each load from a line serves up to R
// taps.
template <int kBytes, int K, int R, int V>
struct LineBlockLoop {
  using Vec = Lanes<float, kBytes>;
  static constexpr int kLines = R + K - 1;
  enum Edge { kNone, kLeft, kRight };

  static SL_INLINE void Keep(Vec& x, const int32_t* mask) {
    typedef int32_t Bits __attribute__((vector_size(kBytes)));
    Bits bits, keep;
    std::memcpy(&bits, &x.v, kBytes);
    std::memcpy(&keep, mask, kBytes);
    bits &= keep;
    std::memcpy(&x.v, &bits, kBytes);
  }

  // Column t of the kernel with n channels, starting at c.
  template <Edge kEdge>
  static SL_INLINE void AddColumn(const LineBlock& b, int64_t c, int64_t n,
                                  int64_t t, const int32_t* mask,
                                  Vec (&sums)[R][V]) {
    const float *line[kLines], *weights = b.weights;
    int64_t step[kLines];
#pragma GCC unroll 16
    for (int i = 0; i < kLines; ++i) {
      step[i] = b.channel_step[i];
      line[i] = b.lines[i] + c * step[i] + t * b.dilation;
    }
    weights += (c * b.kernel_columns + t * n) * ColumnWeights(K);
    for (; n > 0; --n) {
      ColumnOfWeights<K> w(weights);
      weights += ColumnWeights(K);
#pragma GCC unroll 16
      for (int i = 0; i < kLines; ++i) {
        Vec x[V];
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) {
          x[v].Load(line[i] + v * Vec::kCount);
          if (kEdge == kLeft && v == 0) Keep(x[v], mask);
          if (kEdge == kRight && v + 2 >= V) {
            Keep(x[v], mask - (V - 1 - v) * Vec::kCount);
          }
        }
#pragma GCC unroll 4
        for (int r = 0; r < R; ++r) {
          if (i - r < 0 || i - r >= K) continue;
#pragma GCC unroll 4
          for (int v = 0; v < V; ++v) sums[r][v].AddProduct(w[i - r], x[v]);
        }
        line[i] += step[i];
      }
    }
  }

  static SL_INLINE void Run(const LineBlock* block) {
    LineBlock b = *block;
    Vec sums[R][V];
    for (int64_t c = 0; c < b.channels; c += kChannelsAtOnce) {
      int64_t n = std::min(b.channels - c, kChannelsAtOnce);
      for (int64_t t = 0; t < b.kernel_columns; ++t) {
        if (t < b.inside) {
          AddColumn<kLeft>(b, c, n, t, b.left + t * b.dilation, sums);
        } else if (t < b.outside) {
          AddColumn<kNone>(b, c, n, t, nullptr, sums);
        } else {
          AddColumn<kRight>(b, c, n, t, b.right + (t - b.outside) * b.dilation,
                            sums);
        }
      }
    }
    Store(b, sums);
  }

  static SL_INLINE void Store(const LineBlock& b, const Vec (&sums)[R][V]) {
    int64_t whole = b.columns / Vec::kCount;
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      float* to = b.to + r * b.to_line;
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v, to += Vec::kCount) {
        if (v < whole) {
          sums[r][v].Store(to);
        } else {
          float y[Vec::kCount];
          sums[r][v].Store(y);
          int64_t rest = b.columns - v * Vec::kCount;
          for (int64_t k = 0; k < rest; ++k) to[k] = y[k];
        }
      }
    }
  }
};

}  // namespace sluice::conv
