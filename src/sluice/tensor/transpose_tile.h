// Transposing blocks of plain elements in registers. A square of 16 bytes a
// side is loaded as rows, turned by log2(side) rounds of interleaving, and
// stored as rows: every load and store is a full vector.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

namespace sluice::transpose_internal {

template <class T>
using Vec __attribute__((vector_size(16))) = T;

template <class T>
inline constexpr int kSide = 16 / static_cast<int>(sizeof(T));

// Elements 0, n, 1, n + 1, ... of (a, b): the lower (or upper) halves taken in
// turns.
template <class T, int... i>
inline Vec<T> ZipLow(Vec<T> a, Vec<T> b, std::integer_sequence<int, i...>) {
  constexpr int n = kSide<T>;
  return __builtin_shufflevector(a, b, (i / 2 + (i % 2) * n)...);
}
template <class T, int... i>
inline Vec<T> ZipHigh(Vec<T> a, Vec<T> b, std::integer_sequence<int, i...>) {
  constexpr int n = kSide<T>;
  return __builtin_shufflevector(a, b, (n / 2 + i / 2 + (i % 2) * n)...);
}

// y[i * ys + j] = x[j * xs + i] for one square of kSide<T>.
template <class T>
inline __attribute__((always_inline)) void Square(const T* x, int64_t xs, T* y,
                                                  int64_t ys) {
  constexpr int n = kSide<T>;
  constexpr auto all = std::make_integer_sequence<int, n>();
  Vec<T> rows[n], next[n];
  for (int j = 0; j < n; ++j) std::memcpy(&rows[j], x + j * xs, 16);
  for (int round = n; round > 1; round /= 2) {
    for (int j = 0; j < n / 2; ++j) {
      next[2 * j] = ZipLow<T>(rows[j], rows[j + n / 2], all);
      next[2 * j + 1] = ZipHigh<T>(rows[j], rows[j + n / 2], all);
    }
    for (int j = 0; j < n; ++j) rows[j] = next[j];
  }
  for (int i = 0; i < n; ++i) std::memcpy(y + i * ys, &rows[i], 16);
}

}  // namespace sluice::transpose_internal

namespace sluice {

// y[i * ys + j] = x[j * xs + i] for i < rows, j < cols. Plain unsigned T.
template <class T>
void TransposeTile(const T* x, int64_t xs, T* y, int64_t ys, int64_t rows,
                   int64_t cols) {
  using transpose_internal::kSide;
  constexpr int n = kSide<T>;
  // One cache line of y at a time is filled by lines of x: both sides move
  // whole lines, and few of them are open at once.
  constexpr int64_t kLine = 64 / sizeof(T);
  int64_t whole_rows = rows / n * n, whole_cols = cols / n * n;
  for (int64_t j0 = 0; j0 < whole_cols; j0 += kLine) {
    int64_t j1 = j0 + kLine < whole_cols ? j0 + kLine : whole_cols;
    for (int64_t i = 0; i < whole_rows; i += n) {
      for (int64_t j = j0; j < j1; j += n) {
        transpose_internal::Square<T>(x + j * xs + i, xs, y + i * ys + j, ys);
      }
    }
  }
  for (int64_t i = 0; i < rows; ++i) {
    int64_t from = i < whole_rows ? whole_cols : 0;
    for (int64_t j = from; j < cols; ++j) y[i * ys + j] = x[j * xs + i];
  }
}

}  // namespace sluice
