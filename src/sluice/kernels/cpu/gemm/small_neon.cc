#if defined(__aarch64__)

#include <arm_neon.h>

#include <algorithm>
#include <type_traits>

#include "sluice/kernels/cpu/gemm/small.h"

namespace sluice {

namespace {

// Longest sum of one pass, and how much of B the first cache is trusted with.
constexpr int64_t kMaxDepth = 256;
constexpr int64_t kMaxOfB = 6 << 10;

struct Operands {
  int64_t k;
  const float* a;
  int64_t lda;
  const float* b;
  int64_t ldb;
  float* c;
  int64_t ldc;
};

// R rows by V vectors of C. Four k of A's rows are loaded at a time and met
// lane by lane.
template <int R, int V>
void Tile(const Operands& o, int64_t row, int64_t column) {
  float32x4_t s[R][V];
#pragma GCC unroll 8
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) s[i][v] = vdupq_n_f32(0);
  }
  const float* a = o.a + row * o.lda;
  const float* b = o.b + column;
  const int64_t lda = o.lda, ldb = o.ldb;
  int64_t p = 0;
  for (; p + 4 <= o.k; p += 4) {
    float32x4_t x[R];
#pragma GCC unroll 8
    for (int i = 0; i < R; ++i) x[i] = vld1q_f32(a + i * lda + p);
    auto multiply = [&](auto lane) {
#pragma GCC unroll 2
      for (int v = 0; v < V; ++v) {
        float32x4_t y = vld1q_f32(b + 4 * v);
#pragma GCC unroll 8
        for (int i = 0; i < R; ++i) {
          s[i][v] = vfmaq_laneq_f32(s[i][v], y, x[i], decltype(lane)::value);
        }
      }
      b += ldb;
    };
    multiply(std::integral_constant<int, 0>());
    multiply(std::integral_constant<int, 1>());
    multiply(std::integral_constant<int, 2>());
    multiply(std::integral_constant<int, 3>());
  }
  for (; p < o.k; ++p, b += ldb) {
    for (int v = 0; v < V; ++v) {
      float32x4_t y = vld1q_f32(b + 4 * v);
#pragma GCC unroll 8
      for (int i = 0; i < R; ++i) {
        s[i][v] = vfmaq_n_f32(s[i][v], y, a[i * lda + p]);
      }
    }
  }
  float* c = o.c + row * o.ldc + column;
  const int64_t ldc = o.ldc;
#pragma GCC unroll 8
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) vst1q_f32(c + i * ldc + 4 * v, s[i][v]);
  }
}

using TileFn = void (*)(const Operands&, int64_t, int64_t);
constexpr TileFn kTiles[2][8] = {
    {Tile<1, 1>, Tile<2, 1>, Tile<3, 1>, Tile<4, 1>, Tile<5, 1>, Tile<6, 1>,
     Tile<7, 1>, Tile<8, 1>},
    {Tile<1, 2>, Tile<2, 2>, Tile<3, 2>, Tile<4, 2>, Tile<5, 2>, Tile<6, 2>,
     Tile<7, 2>, Tile<8, 2>}};

// Columns [column, column + 4 * vectors) of every row.
void Strip(const Operands& o, int64_t m, int64_t column, int vectors) {
  const TileFn* tiles = kTiles[vectors - 1];
  int64_t i = 0;
  for (; i + 8 <= m; i += 8) tiles[7](o, i, column);
  if (i < m) tiles[m - i - 1](o, i, column);
}

// The last one to three columns, through zero-padded copies.
void Rest(const Operands& o, int64_t m, int64_t column, int columns) {
  alignas(64) float b[kMaxDepth * 4];
  for (int64_t p = 0; p < o.k; ++p) {
    for (int j = 0; j < 4; ++j) {
      b[4 * p + j] = j < columns ? o.b[p * o.ldb + column + j] : 0.0f;
    }
  }
  for (int64_t i = 0; i < m; i += 8) {
    int64_t rows = std::min<int64_t>(8, m - i);
    alignas(64) float c[8 * 4];
    Operands part{o.k, o.a + i * o.lda, o.lda, b, 4, c, 4};
    kTiles[0][rows - 1](part, 0, 0);
    for (int64_t r = 0; r < rows; ++r) {
      for (int j = 0; j < columns; ++j) {
        o.c[(i + r) * o.ldc + column + j] = c[4 * r + j];
      }
    }
  }
}

}  // namespace

bool IsSmallGemm(const GemmArgs& g) {
  return !g.a.transposed && !g.b.transposed && g.k <= kMaxDepth &&
         g.b.stride <= kMaxOfB / g.k;
}

void SmallGemm(const GemmArgs& g, int64_t begin, int64_t end) {
  Operands o{
      g.k,        static_cast<const float*>(g.a.data) + begin * g.a.stride,
      g.a.stride, static_cast<const float*>(g.b.data),
      g.b.stride, static_cast<float*>(g.c) + begin * g.ldc,
      g.ldc};
  const int64_t m = end - begin;
  int64_t j = 0;
  for (; j + 8 <= g.n; j += 8) Strip(o, m, j, 2);
  if (j + 4 <= g.n) Strip(o, m, j, 1), j += 4;
  if (j < g.n) Rest(o, m, j, static_cast<int>(g.n - j));
}

}  // namespace sluice

#endif  // __aarch64__
