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

// Elements 0, n, 1, n + 1, ... of (a, b): the lower (or upper) halves
// interleaved.
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

namespace transpose_internal {

// Splits x[j] for j < kRows into rows, or interleaves rows of n: compilers have
// instructions for both.
template <class T, int kRows>
void TakeApart(const T* x, T* y, int64_t ys, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    for (int i = 0; i < kRows; ++i) y[i * ys + j] = x[j * kRows + i];
  }
}
template <class T, int kColumns>
void PutTogether(const T* x, int64_t xs, T* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    for (int j = 0; j < kColumns; ++j) y[i * kColumns + j] = x[j * xs + i];
  }
}

// True if one of the above handled the matrix because it is narrow and dense.
template <class T>
bool Narrow(const T* __restrict x, int64_t xs, T* __restrict y, int64_t ys,
            int64_t rows, int64_t cols) {
  if (rows == xs) {
    if (rows == 2) return TakeApart<T, 2>(x, y, ys, cols), true;
    if (rows == 3) return TakeApart<T, 3>(x, y, ys, cols), true;
    if (rows == 4) return TakeApart<T, 4>(x, y, ys, cols), true;
  }
  if (cols == ys) {
    if (cols == 2) return PutTogether<T, 2>(x, xs, y, rows), true;
    if (cols == 3) return PutTogether<T, 3>(x, xs, y, rows), true;
    if (cols == 4) return PutTogether<T, 4>(x, xs, y, rows), true;
  }
  return false;
}

}  // namespace transpose_internal

// y[i * ys + j] = x[j * xs + i] for i < rows, j < cols. Plain unsigned T.
template <class T>
void TransposeTile(const T* x, int64_t xs, T* y, int64_t ys, int64_t rows,
                   int64_t cols) {
  using transpose_internal::kSide;
  constexpr int n = kSide<T>;
  if ((rows <= 4 || cols <= 4) &&
      transpose_internal::Narrow(x, xs, y, ys, rows, cols)) {
    return;
  }
  // Fills one cache line of y at a time from lines of x: both sides move whole
  // lines, and few of them are open at once.
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
