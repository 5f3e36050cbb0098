#include "sluice/kernels/cpu/gemm/long_sums.h"

#include <algorithm>

#include "sluice/base/worker_pool.h"

namespace sluice {

namespace {

constexpr int64_t kPiece = 1 << 8;             // terms, summed by the kernels
constexpr int64_t kRows = 64, kColumns = 128;  // of a tile, on the stack

// Elements from the first one to (row, column).
int64_t Offset(const GemmMatrix& m, int64_t row, int64_t column) {
  return m.transposed ? column * m.stride + row : row * m.stride + column;
}

GemmMatrix From(const GemmMatrix& m, int64_t row, int64_t column) {
  GemmMatrix part = m;
  part.data = static_cast<const float*>(m.data) + Offset(m, row, column);
  return part;
}

void OneTile(const GemmArgs& g, int64_t row, int64_t column, WorkerPool* pool) {
  const int64_t rows = std::min(kRows, g.m - row);
  const int64_t columns = std::min(kColumns, g.n - column);
  double sums[kRows * kColumns] = {};
  float part[kRows * kColumns];
  for (int64_t k = 0; k < g.k; k += kPiece) {
    Gemm(GemmType::kF32,
         {.m = rows,
          .n = columns,
          .k = std::min(kPiece, g.k - k),
          .a = From(g.a, row, k),
          .b = From(g.b, k, column),
          .c = part,
          .ldc = columns},
         pool);
    for (int64_t i = 0; i < rows * columns; ++i) {
      sums[i] += static_cast<double>(part[i]);
    }
  }
  float* c = static_cast<float*>(g.c) + row * g.ldc + column;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      c[i * g.ldc + j] = static_cast<float>(sums[i * columns + j]);
    }
  }
  g.done(row, rows, column, columns);
}

}  // namespace

void LongSumGemm(const GemmArgs& g, WorkerPool* pool) {
  const int64_t across = (g.n + kColumns - 1) / kColumns;
  const int64_t tiles = (g.m + kRows - 1) / kRows * across;
  auto run = [&](int64_t tile, WorkerPool* threads) {
    OneTile(g, tile / across * kRows, tile % across * kColumns, threads);
  };
  // Few tiles leave the threads to their products.
  if (!pool || tiles < 2 * pool->parallelism()) {
    for (int64_t i = 0; i < tiles; ++i) run(i, pool);
    return;
  }
  ParallelFor(pool, tiles, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) run(i, nullptr);
  });
}

}  // namespace sluice
