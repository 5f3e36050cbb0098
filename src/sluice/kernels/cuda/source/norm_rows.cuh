// Normalization of rows: LayerNorm and RmsNorm with a scale for every element
// of a row, GroupNorm and InstanceNorm with one for every channel. T: the
// elements' type; S: the type of statistics given to gradients; SL_CENTER:
// whether the mean is subtracted.
#pragma once

#include "sluice/cuda/affine.cuh"
#include "sluice/cuda/reduce_core.cuh"

namespace sluice {

// Selects the scale of an element of a row.
struct ScalePlaces {
  int64_t run;     // elements that share a scale
  int64_t groups;  // the scales repeat after this many rows
  int64_t step;    // between consecutive rows of these
  int64_t First(int64_t row) const { return row % groups * step; }
};

struct NormArgs {
  Slices s;
  const T *x, *scale, *offset;
  T* y;
  Compute<T>*mean, *rstd;
  ScalePlaces places;
  double epsilon;
};

template <class Team>
inline void NormRow(const NormArgs& a, const Team& team, const Slice& slice) {
  using C = Compute<T>;
  Elements<T, kHeld> x(a.x, slice, team);
  const double count = slice.n > 0 ? double(slice.n) : 1.0;
  C from = 0;
  if (SL_CENTER) {
    double sum = 0;
    x.Each([&](C& v, int64_t) { sum += double(v); });
    from = C(team.All(sum, Plus()) / count);
  }
  // Deviations from the mean as C represents it; their own mean is its error.
  PairOf<double> sums{0, 0};
  x.Each([&](C& v, int64_t) {
    double d = double(v - from);
    sums.a += d;
    sums.b = MulAdd(d, d, sums.b);
  });
  sums = team.All(sums, PlusPair());
  if (!slice.live) return;
  double off = SL_CENTER ? sums.a / count : 0, mean = double(from) + off;
  double squares = sums.b - off * off * count;
  double rstd = 1 / std::sqrt((squares < 0 ? 0 : squares) / count + a.epsilon);
  if (team.lane == 0) {
    if (SL_CENTER) a.mean[slice.number] = C(mean);
    a.rstd[slice.number] = C(rstd);
  }
  Affine<C> hat = Affine<C>::Of(mean, rstd);
  int64_t first = a.places.First(slice.number);
  x.Each([&](C& v, int64_t i) {
    int64_t at = first + (a.places.run == 1 ? i : Quotient(i, a.places.run));
    C scale = Widen(a.scale[at]), y = (v - hat.from) * scale;
    if (SL_CENTER) {
      C shift = MulAdd(scale, hat.shift, Widen(a.offset[at]));
      y = MulAdd(y, hat.scale, shift);
    } else {
      y = y * hat.scale;
    }
    a.y[slice.base + i] = Narrow<T>(y);
  });
}

struct NormGradArgs {
  Slices s;
  const T *dy, *x, *scale;
  const S *mean, *rstd;
  T* dx;
  ScalePlaces places;
};

// With xhat = (x - mean) rstd and g = dy scale:
//   dx = rstd (g - mean(g) - xhat mean(g xhat)).
template <class Team>
inline void NormGradRow(const NormGradArgs& a, const Team& team,
                        const Slice& slice) {
  using C = Compute<T>;
  ElementPairs<T, kHeld> pairs(a.dy, a.x, slice, team);
  int64_t row = slice.live ? slice.number : 0;
  Affine<C> hat =
      Affine<C>::Of(SL_CENTER ? double(a.mean[row]) : 0.0, double(a.rstd[row]));
  int64_t first = a.places.First(row);
  auto scale = [&](int64_t i) {
    return Widen(
        a.scale[first + (a.places.run == 1 ? i : Quotient(i, a.places.run))]);
  };
  PairOf<double> sums{0, 0};
  pairs.Each([&](C dy, C x, int64_t i) {
    C g = dy * scale(i);
    sums.a += double(g);
    sums.b = MulAdd(double(g), double(hat.Apply(x)), sums.b);
  });
  sums = team.All(sums, PlusPair());
  if (!slice.live) return;
  C mean_g = SL_CENTER ? C(sums.a / double(slice.n)) : C(0);
  C mean_gh = C(sums.b / double(slice.n));
  pairs.Each([&](C dy, C x, int64_t i) {
    C g = dy * scale(i) - mean_g;
    a.dx[slice.base + i] =
        Narrow<T>(hat.scale * MulAdd(-hat.Apply(x), mean_gh, g));
  });
}

// The gradients of scale and offset: sums of dy xhat and dy over all rows.
struct ScaleGradArgs {
  ReduceShape s;
  const T *dy, *x;
  const S *mean, *rstd;
  T *dscale, *doffset;
  int64_t row;  // elements that share statistics; 0: each step has its own
};
struct ScaleGrad {
  using Acc = PairOf<double>;
  static Acc Start() { return {0, 0}; }
  static Acc Step(const ScaleGradArgs& a, Acc acc, int64_t at, int64_t nth,
                  int64_t) {
    int64_t row = a.row > 0 ? Quotient(at, a.row) : nth;
    double dy = double(Widen(a.dy[at])), x = double(Widen(a.x[at]));
    double mean = SL_CENTER ? double(a.mean[row]) : 0.0;
    double h = (x - mean) * double(a.rstd[row]);
    return {MulAdd(dy, h, acc.a), acc.b + dy};
  }
  static Acc Join(Acc a, Acc b) { return PlusPair()(a, b); }
  static void Finish(const ScaleGradArgs& a, Acc acc, int64_t output) {
    a.dscale[output] = Narrow<T>(Compute<T>(acc.a));
    if (a.doffset) a.doffset[output] = Narrow<T>(Compute<T>(acc.b));
  }
};

#if defined(SL_WAY)
SL_REDUCE_KERNEL(ScaleGrad, ScaleGradArgs)
#elif defined(SL_BACK)
SL_SLICE_KERNEL(norm_rows_grad, NormGradArgs, NormGradRow)
#else
SL_SLICE_KERNEL(norm_rows, NormArgs, NormRow)
#endif

}  // namespace sluice
