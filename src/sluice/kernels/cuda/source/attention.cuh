// The rows of attention between its matrix products: probabilities from the
// scores of a query with all keys, and, for the gradient, the gradients of the
// scores. T: the operands' type; scores are Compute<T>. SL_CAUSAL: query i sees
// keys 0 to i. SL_MASK: 0 none, 1 boolean visibility, 2 added to the scores.
#pragma once

#include "sluice/cuda/attention_mask.cuh"
#include "sluice/cuda/team.cuh"
#include "sluice/kernels/cpu/mul_add.h"
#include "sluice/kernels/cpu/vector_math.h"

namespace sluice {

// As in kernels/cuda/attention.cc.
struct AttentionArgs {
  Slices s;  // rows: queries of some heads; their keys
  const Compute<T>* scores;
  const Compute<T>* dp;  // for gradients: dy v'
  T *p, *ds;
  Compute<T>* lse;
  const T *dy, *y;  // for gradients: rows of `values` elements
  int64_t values, queries, first_row;
  double scale;
  AttentionMask mask;
};

// One query: the keys it sees, and its scores.
struct Query {
  using C = Compute<T>;
  const AttentionArgs& a;
  int64_t place, mask_at;
  C scale;

  Query(const AttentionArgs& args, int64_t number)
      : a(args), place(0), mask_at(0), scale(C(args.scale)) {
    int64_t row = args.first_row + number;
    if (SL_CAUSAL) place = row - Quotient(row, a.queries) * a.queries;
    if (SL_MASK) mask_at = a.mask.Place(row);
  }
  // The visible keys at the start of the slice, as a slice.
  Slice Seen(Slice slice) const {
    if (SL_CAUSAL && slice.n > place + 1) slice.n = place + 1;
    return slice;
  }
  C Score(C product, int64_t key) const {
    constexpr C kNever = -std::numeric_limits<C>::infinity();
    C score = product * scale;
    int64_t at = mask_at + key * a.mask.key_step;
    if (SL_MASK == 1) return a.mask.Sees(at) ? score : kNever;
    if (SL_MASK == 2) score += C(a.mask.Added(at));
    return score;
  }
};

template <class Team>
inline void AttentionRow(const AttentionArgs& a, const Team& team,
                         const Slice& slice) {
  using C = Compute<T>;
  constexpr C kNever = -std::numeric_limits<C>::infinity();
  Query query(a, slice.live ? slice.number : 0);
  const Slice seen = query.Seen(slice);
  Elements<C, kHeld> x(a.scores, seen, team);
  C max = kNever;
  x.Each([&](C& v, int64_t key) {
    C score = query.Score(v, key);
    if (x.fits) v = score;
    max = score > max ? score : max;
  });
  max = team.All(max, [](C u, C v) { return v > u ? v : u; });
  C from = max == kNever ? C(0) : max, sum = 0;
  auto power = [&](C v, int64_t key) {
    return vmath::Exp((x.fits ? v : query.Score(v, key)) - from);
  };
  x.Each([&](C& v, int64_t key) {
    C e = power(v, key);
    sum += e;
    if (x.fits) v = e;
  });
  sum = team.All(sum, Plus());
  C by = sum == 0 ? C(0) : 1 / sum;
  T* p = a.p + slice.base;
  x.Each([&](C& v, int64_t key) {
    p[key] = Narrow<T>((x.fits ? v : power(v, key)) * by);
  });
  for (int64_t key = seen.n + team.lane; key < slice.n; key += team.lanes) {
    p[key] = T(0);
  }
  if (slice.live && team.lane == 0) {
    a.lse[slice.number] = sum == 0 ? kNever : from + vmath::Log(sum);
  }
}

template <class Team>
inline void AttentionGradRow(const AttentionArgs& a, const Team& team,
                             const Slice& slice) {
  using C = Compute<T>;
  int64_t row = slice.live ? slice.number : 0;
  Query query(a, row);
  C inner = 0;
  const T *dy = a.dy + row * a.values, *y = a.y + row * a.values;
  for (int64_t i = team.lane; i < a.values; i += team.lanes) {
    inner = MulAdd(Widen(dy[i]), Widen(y[i]), inner);
  }
  inner = team.All(inner, Plus());
  C lse = a.lse[row];
  T *p = a.p + slice.base, *ds = a.ds + slice.base;
  const Slice keys = query.Seen(slice);
  ElementPairs<C, kHeld> pairs(a.scores, a.dp, keys, team);
  pairs.Each([&](C product, C dp, int64_t key) {
    C score = query.Score(product, key);
    bool seen = score != -std::numeric_limits<C>::infinity();
    C e = seen ? vmath::Exp(score - lse) : C(0);
    p[key] = Narrow<T>(e);
    ds[key] = Narrow<T>(e * (dp - inner) * query.scale);
  });
  for (int64_t key = keys.n + team.lane; key < slice.n; key += team.lanes) {
    p[key] = ds[key] = T(0);
  }
}

SL_SLICE_KERNEL(attention, AttentionArgs, AttentionRow)
SL_SLICE_KERNEL(attention_grad, AttentionArgs, AttentionGradRow)

}  // namespace sluice
