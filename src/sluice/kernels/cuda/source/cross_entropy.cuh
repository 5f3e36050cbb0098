// Cross entropy of softmax, a row of logits per sample, with its gradient from
// the same pass. T, I: the types of logits and labels.
#pragma once

#include "sluice/cuda/checks.cuh"
#include "sluice/cuda/softmax_row.cuh"

namespace sluice {

struct CrossEntropyArgs {
  Slices s;
  const T* x;
  const I* labels;         // sparse
  const T* probabilities;  // dense
  T* loss;
  T* grad;  // null: not wanted
  int64_t has_ignored, ignored;
  Check* check;
};

template <class Team>
inline void SparseRow(const CrossEntropyArgs& a, const Team& team,
                      const Slice& slice) {
  using C = Compute<T>;
  int64_t label = slice.live ? int64_t(a.labels[slice.number]) : 0;
  bool counts = slice.live && !(a.has_ignored && label == a.ignored);
  if (counts && (label < 0 || label >= a.s.size)) {
    if (team.lane == 0) Report(a.check, slice.number, label);
    counts = false;
  }
  Elements<T, kHeld> x(a.x, slice, team);
  C max = MaxOfSlice(x, team);
  C sum = ExpSumOfSlice<true>(x, team, max);
  if (!slice.live) return;
  if (team.lane == 0) {
    C at = counts ? Widen(a.x[slice.base + label]) : C(0);
    a.loss[slice.number] =
        counts ? Narrow<T>(vmath::Log(sum) - (at - max)) : T(0);
  }
  if (!a.grad) return;
  C by = C(1) / sum;
  x.Each([&](C& v, int64_t i) {
    C g = (x.fits ? v : vmath::Exp(v - max)) * by;
    // The probability is rounded first, as on the CPU.
    if (i == label) g = Widen(Narrow<T>(g)) - 1;
    a.grad[slice.base + i] = counts ? Narrow<T>(g) : T(0);
  });
}

template <class Team>
inline void DenseRow(const CrossEntropyArgs& a, const Team& team,
                     const Slice& slice) {
  using C = Compute<T>;
  Elements<T, kHeld> x(a.x, slice, team);
  const T* p = a.probabilities + slice.base;
  C max = MaxOfSlice(x, team);
  // loss = sum(p (max + log - x)) = log sum(p) - sum(p (x - max)).
  PairOf<C> sums{0, 0};
  x.Each([&](C& v, int64_t i) {
    C t = Widen(p[i]);
    sums.a += t;
    sums.b = MulAdd(t, v - max, sums.b);
  });
  sums = team.All(sums, PlusPair());
  C sum = ExpSumOfSlice<true>(x, team, max);
  if (!slice.live) return;
  if (team.lane == 0) {
    C loss = MulAdd(vmath::Log(sum), sums.a, -sums.b);
    a.loss[slice.number] = slice.n > 0 ? Narrow<T>(loss) : T(0);
  }
  C by = sums.a / sum;
  x.Each([&](C& v, int64_t i) {
    C g = (x.fits ? v : vmath::Exp(v - max)) * by;
    a.grad[slice.base + i] = Narrow<T>(Widen(Narrow<T>(g)) - Widen(p[i]));
  });
}

SL_SLICE_KERNEL(sparse_cross_entropy, CrossEntropyArgs, SparseRow)
SL_SLICE_KERNEL(dense_cross_entropy, CrossEntropyArgs, DenseRow)

}  // namespace sluice
