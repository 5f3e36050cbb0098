// Mean and squared deviations of contiguous numbers, for normalizations.
//
// A block that fits the first-level cache is read once, summing x and x^2. If
// the mean is so large relative to the deviation that their difference would
// lose digits, which is rare, it is read again, summing deviations from the
// mean. Blocks are combined one after another, in double. So a mean of 1e4 with
// a deviation of 1 loses no digits beyond those missing in the inputs, and the
// order of summation depends only on the length. Plain functions; any thread.
#pragma once

#include "sluice/kernels/cpu/lanes.h"

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

inline constexpr int64_t kBlock = 4096;

// kTerms sums over i in [0, n) at once: step(lanes of i.., count, acc) adds the
// contribution of `count` elements from i on to acc[0], acc[1], ... Two sets of
// sums keep the adders busy. along(i, count) does additional work for each
// piece.
struct Nothing {
  SL_INLINE void operator()(int64_t, int64_t) const {}
};
template <class C, int kTerms, class Step, class Along = Nothing>
SL_INLINE void Sums(int64_t n, C (&sum)[kTerms], Step step, Along along = {}) {
  using L = Lanes<C>;
  L a[kTerms], b[kTerms];
  for (int t = 0; t < kTerms; ++t) a[t] = b[t] = L::Of(0);
  int64_t i = 0;
  for (; i + 2 * L::kCount <= n; i += 2 * L::kCount) {
    step(i, L::kCount, a);
    along(i, L::kCount);
    step(i + L::kCount, L::kCount, b);
    along(i + L::kCount, L::kCount);
  }
  for (; i < n; i += L::kCount) {
    int64_t some = n - i < L::kCount ? n - i : L::kCount;
    step(i, some, a);
    along(i, some);
  }
  for (int t = 0; t < kTerms; ++t) sum[t] = (a[t] + b[t]).Sum();
}

// Loads `count` elements of x; the other lanes hold `fill`.
template <class C, class T>
SL_INLINE Lanes<C> Take(const T* x, int64_t count, C fill) {
  return count == Lanes<C>::kCount ? Lanes<C>::Load(x)
                                   : Lanes<C>::LoadSome(x, count, fill);
}

// The sums of x and x^2 of a block, 0 < n <= kBlock.
template <class T, class Along = Nothing, class C = Compute<T>>
SL_INLINE void SumsOfBlock(const T* x, int64_t n, C (&sum)[2],
                           Along along = {}) {
  using L = Lanes<C>;
  Sums(
      n, sum,
      [&](int64_t i, int64_t some, L(&acc)[2]) {
        L v = Take<C>(x + i, some, C(0));
        acc[0] = acc[0] + v;
        acc[1] = MulAdd(v, v, acc[1]);
      },
      along);
}

// The moments that follow from them.
template <class T, class C = Compute<T>>
SL_INLINE Moments FromSums(const T* x, int64_t n, const C (&first)[2]) {
  using L = Lanes<C>;
  auto count = static_cast<double>(n);
  double share = 1 / count;
  double mean = static_cast<double>(first[0]) * share;
  double squares = static_cast<double>(first[1]) - mean * mean * count;
  if (mean * mean * count <= 4 * squares) return {count, mean, squares};
  C from = static_cast<C>(mean), sum[2];
  Sums(n, sum, [&](int64_t i, int64_t some, L(&acc)[2]) {
    L d = Take<C>(x + i, some, from) - L::Of(from);
    acc[0] = acc[0] + d;
    acc[1] = MulAdd(d, d, acc[1]);
  });
  // The mean of the deviations is the error of `from`.
  double off = static_cast<double>(sum[0]) * share;
  squares = static_cast<double>(sum[1]) - off * off * count;
  return {count, static_cast<double>(from) + off, squares < 0 ? 0 : squares};
}

template <class T, class C = Compute<T>>
SL_INLINE Moments OfBlock(const T* x, int64_t n) {
  C sum[2];
  SumsOfBlock(x, n, sum);
  return FromSums(x, n, sum);
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

// Without the mean: the sum of squares about 0. 0 < n <= kBlock.
template <class T, class Along = Nothing, class C = Compute<T>>
SL_INLINE C SquaresOfBlock(const T* x, int64_t n, Along along = {}) {
  using L = Lanes<C>;
  C sum[1];
  Sums(
      n, sum,
      [&](int64_t i, int64_t some, L(&acc)[1]) {
        L v = Take<C>(x + i, some, C(0));
        acc[0] = MulAdd(v, v, acc[0]);
      },
      along);
  return sum[0];
}

template <class T>
SL_INLINE double SquaresOfRow(const T* x, int64_t n) {
  double total = 0;
  for (int64_t i = 0; i < n; i += kBlock) {
    int64_t some = n - i < kBlock ? n - i : kBlock;
    total += static_cast<double>(SquaresOfBlock(x + i, some));
  }
  return total;
}

}  // namespace moments
}  // namespace sluice
