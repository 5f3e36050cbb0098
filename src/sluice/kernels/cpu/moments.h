// Mean and squared deviations of numbers in a row, for normalisations.
//
// A block that fits the first cache is passed over once, summing x and x^2.
// When the mean is so large against the deviation that their difference would
// lose digits, which is rare, it is passed over again, summing deviations from
// the mean. Blocks are joined one after the other, in double. So a mean of 1e4
// with a deviation of 1 costs no digits beyond those the inputs lack already,
// and the order of summation depends on the length alone.
#pragma once

#include <cstdint>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/isa.h"
#include "sluice/kernels/cpu/mul_add.h"

namespace sluice {

struct Moments {
  double count = 0, mean = 0;
  double squares = 0;  // sum of (x - mean)^2

  void Join(const Moments& o) {
    if (o.count == 0) return;
    double total = count + o.count, delta = o.mean - mean;
    double share = o.count / total;
    squares += o.squares + delta * delta * count * share;
    mean += delta * share;
    count = total;
  }
  double variance() const { return count == 0 ? 0 : squares / count; }
};

namespace moments {

inline constexpr int kLanes = 16;
inline constexpr int64_t kBlock = 4096;

template <class C>
SL_INLINE C Fold(C (&lane)[kLanes]) {
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int k = 0; k < width; ++k) lane[k] += lane[k + width];
  }
  return lane[0];
}

// kTerms sums over i in [0, n) at once, each in lanes: step(i, acc) adds what
// element i contributes to acc[0], acc[1], ...
template <class C, int kTerms, class Step>
SL_INLINE void Sums(int64_t n, C (&sum)[kTerms], Step step) {
  C lane[kTerms][kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) {
      C acc[kTerms];
      for (int t = 0; t < kTerms; ++t) acc[t] = lane[t][k];
      step(i + k, acc);
      for (int t = 0; t < kTerms; ++t) lane[t][k] = acc[t];
    }
  }
  for (int k = 0; i < n; ++i, ++k) {
    C acc[kTerms];
    for (int t = 0; t < kTerms; ++t) acc[t] = lane[t][k];
    step(i, acc);
    for (int t = 0; t < kTerms; ++t) lane[t][k] = acc[t];
  }
  for (int t = 0; t < kTerms; ++t) sum[t] = Fold(lane[t]);
}

// 0 < n <= kBlock.
template <class T, class C = Compute<T>>
SL_INLINE Moments OfBlock(const T* x, int64_t n) {
  auto count = static_cast<double>(n);
  C sum[2];
  Sums(n, sum, [&](int64_t i, C(&acc)[2]) {
    C v = static_cast<C>(x[i]);
    acc[0] += v;
    acc[1] = MulAdd(v, v, acc[1]);
  });
  double mean = static_cast<double>(sum[0]) / count;
  double squares = static_cast<double>(sum[1]) - mean * mean * count;
  if (mean * mean * count <= 4 * squares) return {count, mean, squares};
  C from = static_cast<C>(mean);
  Sums(n, sum, [&](int64_t i, C(&acc)[2]) {
    C d = static_cast<C>(x[i]) - from;
    acc[0] += d;
    acc[1] = MulAdd(d, d, acc[1]);
  });
  // The deviations' own mean is what `from` missed.
  double off = static_cast<double>(sum[0]) / count;
  squares = static_cast<double>(sum[1]) - off * off * count;
  return {count, static_cast<double>(from) + off, squares < 0 ? 0 : squares};
}

template <class T>
SL_INLINE Moments OfRow(const T* x, int64_t n) {
  if (n > 0 && n <= kBlock) return OfBlock(x, n);
  Moments all;
  for (int64_t i = 0; i < n; i += kBlock) {
    all.Join(OfBlock(x + i, n - i < kBlock ? n - i : kBlock));
  }
  return all;
}

// Without the mean: the sum of squares about 0.
template <class T, class C = Compute<T>>
SL_INLINE double SquaresOfRow(const T* x, int64_t n) {
  double total = 0;
  for (int64_t b = 0; b < n; b += kBlock) {
    C sum[1];
    Sums(n - b < kBlock ? n - b : kBlock, sum, [&](int64_t i, C(&acc)[1]) {
      C v = static_cast<C>(x[b + i]);
      acc[0] = MulAdd(v, v, acc[0]);
    });
    total += static_cast<double>(sum[0]);
  }
  return total;
}

}  // namespace moments
}  // namespace sluice
