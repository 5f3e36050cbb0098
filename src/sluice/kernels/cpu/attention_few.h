// Attention for very few queries, as in generating text word by word: keys and
// values are read in place at memory speed, rather than packed for products
// that would hardly reuse them. Plain functions; any thread.
#pragma once

#include "sluice/kernels/cpu/attention_view.h"
#include "sluice/kernels/cpu/exp_row.h"
#include "sluice/kernels/cpu/vector_math.h"

namespace sluice::attention {

inline constexpr int64_t kFewQueries = 5;

// score[j] = scale * dot(q, row j of k).
template <class T>
struct FewScores {
  using C = Compute<T>;
  template <int kRows>
  static SL_INLINE void Rows(const T* q, const T* k, int64_t depth, C scale,
                             C* score) {
    using L = Lanes<C>;
    L sum[kRows];
    for (L& s : sum) s = L::Of(0);
    int64_t p = 0;
    for (; p + L::kCount <= depth; p += L::kCount) {
      L from = L::Load(q + p);
      for (int r = 0; r < kRows; ++r) {
        sum[r] = MulAdd(from, L::Load(k + r * depth + p), sum[r]);
      }
    }
    if (p < depth) {
      L from = L::LoadSome(q + p, depth - p, C(0));
      for (int r = 0; r < kRows; ++r) {
        sum[r] = MulAdd(from, L::LoadSome(k + r * depth + p, depth - p, C(0)),
                        sum[r]);
      }
    }
    for (int r = 0; r < kRows; ++r) score[r] = sum[r].Sum() * scale;
  }
  static SL_INLINE void Run(const T* q, const T* k, int64_t keys, int64_t depth,
                            C scale, C* score) {
    // Four rows at a time, so that the sums of one row do not wait for each
    // other.
    int64_t j = 0;
    for (; j + 4 <= keys; j += 4)
      Rows<4>(q, k + j * depth, depth, scale, score + j);
    for (; j < keys; ++j) Rows<1>(q, k + j * depth, depth, scale, score + j);
  }
};

// y = y * rescale + the sum of p[j] times row j of v.
template <class T>
struct FewValues {
  using C = Compute<T>;
  // kWidth Lanes of columns, held in registers while rows pass.
  template <int kWidth>
  static SL_INLINE void Strip(const C* p, const T* v, int64_t keys,
                              int64_t values, C rescale, C* y) {
    using L = Lanes<C>;
    L sum[kWidth];
    for (int u = 0; u < kWidth; ++u) {
      sum[u] = L::Load(y + u * L::kCount) * L::Of(rescale);
    }
    for (int64_t j = 0; j < keys; ++j, v += values) {
      L by = L::Of(p[j]);
      for (int u = 0; u < kWidth; ++u) {
        sum[u] = MulAdd(by, L::Load(v + u * L::kCount), sum[u]);
      }
    }
    for (int u = 0; u < kWidth; ++u) sum[u].Store(y + u * L::kCount);
  }
  static SL_INLINE void Run(const C* p, const T* v, int64_t keys,
                            int64_t values, C rescale, C* y) {
    constexpr int kCount = Lanes<C>::kCount;
    int64_t c = 0;
    for (; c + 4 * kCount <= values; c += 4 * kCount) {
      Strip<4>(p, v + c, keys, values, rescale, y + c);
    }
    for (; c + kCount <= values; c += kCount) {
      Strip<1>(p, v + c, keys, values, rescale, y + c);
    }
    for (; c < values; ++c) {
      C sum = y[c] * rescale;
      for (int64_t j = 0; j < keys; ++j) {
        sum = MulAdd(p[j], static_cast<C>(v[j * values + c]), sum);
      }
      y[c] = sum;
    }
  }
};

// Turns scores into exponentials and updates the running max and sum; returns
// the factor for earlier results.
template <class C>
struct FewSoftmax {
  static SL_INLINE C Run(C* score, int64_t keys, C* max, C* sum) {
    constexpr C kNone = -std::numeric_limits<C>::infinity();
    C top = rows::RowMax(score, keys);
    top = *max > top ? *max : top;
    C rescale = *max == kNone ? C(0) : rows::ExpNegative(*max - top);
    C shift = top == kNone ? C(0) : top;
    *sum = MulAdd(*sum, rescale, rows::ExpSum<true>(score, keys, shift, score));
    *max = top;
    return rescale;
  }
};

// One query of one head against all keys; `sums` has room for `values` numbers.
template <class T>
void RunQuery(const View& v, const Mask& mask, bool causal, Compute<T> scale,
              int64_t head, int64_t query, const T* q, const T* k,
              const T* value, Compute<T>* sums, T* y, Compute<T>* lse) {
  using C = Compute<T>;
  // The keys of a block stay in the first-level cache.
  constexpr int64_t kBlock = 64;
  constexpr C kNone = -std::numeric_limits<C>::infinity();
  alignas(64) C score[kBlock];
  C max = kNone, sum = 0;
  std::fill_n(sums, v.values, C(0));
  int64_t seen = causal ? std::min(v.keys, query + 1) : v.keys;
  int64_t at = mask ? mask.Offset(head) + query * mask.row() : 0;
  for (int64_t first = 0; first < seen; first += kBlock) {
    int64_t n = std::min(kBlock, seen - first);
    isa::Call<FewScores<T>>(q, k + first * v.depth, n, v.depth, scale,
                            static_cast<C*>(score));
    for (int64_t j = 0; mask && j < n; ++j) {
      mask.Apply(at + (first + j) * mask.column(), score + j);
    }
    C rescale = isa::Call<FewSoftmax<C>>(static_cast<C*>(score), n, &max, &sum);
    isa::Call<FewValues<T>>(static_cast<const C*>(score),
                            value + first * v.values, n, v.values, rescale,
                            sums);
  }
  C by = sum == 0 ? C(0) : 1 / sum;
  *lse = sum == 0 ? kNone : max + vmath::Log(sum);
  for (int64_t c = 0; c < v.values; ++c) y[c] = static_cast<T>(sums[c] * by);
}

}  // namespace sluice::attention
