// Batch normalization: x is [n, channels, run]. T: the elements' type; S: the
// type of given statistics.
#pragma once

#include "sluice/cuda/affine.cuh"
#include "sluice/cuda/reduce_core.cuh"
#include "sluice/cuda/reducers.cuh"

namespace sluice {

// dx = scale rstd (dy - mean(dy) - xhat mean(dy xhat)), collected by what
// varies: dy by + (x - from) k1 + k0.
template <class C>
struct GradParts {
  C from, by, k1, k0;
};

struct BatchNormArgs {
  ReduceShape s;
  const T *dy, *x, *scale, *offset;
  const S *mean_in, *variance_in;
  T* y;  // for the gradient: dx
  Compute<T>*mean, *variance;
  T *dscale, *doffset;
  int64_t elements, channels, run;
  double count;  // elements of a channel
  double epsilon;
  // Scratch, one of each per channel.
  Affine<Compute<T>>* affine;
  GradParts<Compute<T>>* parts;

  int64_t ChannelOf(int64_t at) const {
    int64_t row = Quotient(at, run);
    return row - Quotient(row, channels) * channels;
  }
  double Rstd(double variance) const {
    return 1 / std::sqrt(variance + epsilon);
  }
};

struct ChannelMoments {
  using C = Compute<T>;
  using V = reducers::VarOf<C>;
  using Acc = typename V::Acc;
  static Acc Start() { return V::Start(); }
  static Acc Step(const BatchNormArgs& a, Acc acc, int64_t at, int64_t,
                  int64_t) {
    return V::Step(acc, Widen(a.x[at]));
  }
  static constexpr int kPack = 16 / sizeof(T);
  static Acc StepPack(const BatchNormArgs& a, Acc acc, int64_t at, int64_t,
                      int64_t) {
    auto x = reinterpret_cast<const Pack<T, kPack>*>(a.x)[at / kPack];
#pragma unroll
    for (int k = 0; k < kPack; ++k) acc = V::Step(acc, Widen(x.v[k]));
    return acc;
  }
  static void StepColumns(const BatchNormArgs& a, NoColumns, Acc* acc,
                          int64_t at, int64_t) {
    auto x = reinterpret_cast<const Pack<T, kPack>*>(a.x)[at / kPack];
#pragma unroll
    for (int k = 0; k < kPack; ++k) acc[k] = V::Step(acc[k], Widen(x.v[k]));
  }
  static Acc Join(Acc a, Acc b) { return V::Join(a, b); }
  static void Finish(const BatchNormArgs& a, Acc acc, int64_t c) {
    double mean = 0, variance = 0;
    if (a.count > 0) {
      mean = acc.s / a.count;
      variance = V::Finish(acc, int64_t(a.count), BlockParams());
    }
    a.mean[c] = C(mean);
    a.variance[c] = C(variance);
    a.affine[c] =
        Affine<C>::Of(mean, a.Rstd(variance), double(Widen(a.scale[c])),
                      double(Widen(a.offset[c])));
  }
};

// Sums over a channel of dy and of dy xhat.
struct ChannelGrads {
  using C = Compute<T>;
  using Acc = PairOf<double>;
  static Acc Start() { return {0, 0}; }
  static Acc Step(const BatchNormArgs& a, Acc acc, int64_t at, int64_t,
                  int64_t c) {
    return One(acc, a.affine[c], a.x[at], a.dy[at]);
  }
  static constexpr int kPack = 16 / sizeof(T);
  static Acc StepPack(const BatchNormArgs& a, Acc acc, int64_t at, int64_t,
                      int64_t c) {
    using Some = Pack<T, kPack>;
    Affine<C> affine = a.affine[c];
    Some x = reinterpret_cast<const Some*>(a.x)[at / kPack];
    Some dy = reinterpret_cast<const Some*>(a.dy)[at / kPack];
#pragma unroll
    for (int k = 0; k < kPack; ++k) acc = One(acc, affine, x.v[k], dy.v[k]);
    return acc;
  }
  struct Columns {
    Affine<C> affine[kPack];
  };
  static Columns LoadColumns(const BatchNormArgs& a, int64_t c) {
    Columns columns;
#pragma unroll
    for (int k = 0; k < kPack; ++k) columns.affine[k] = a.affine[c + k];
    return columns;
  }
  static void StepColumns(const BatchNormArgs& a, const Columns& columns,
                          Acc* acc, int64_t at, int64_t) {
    using Some = Pack<T, kPack>;
    Some x = reinterpret_cast<const Some*>(a.x)[at / kPack];
    Some dy = reinterpret_cast<const Some*>(a.dy)[at / kPack];
#pragma unroll
    for (int k = 0; k < kPack; ++k) {
      acc[k] = One(acc[k], columns.affine[k], x.v[k], dy.v[k]);
    }
  }
  static Acc One(Acc acc, Affine<C> affine, T x, T d) {
    double dy = double(Widen(d)), h = double(affine.Apply(Widen(x)));
    return {acc.a + dy, MulAdd(dy, h, acc.b)};
  }
  static Acc Join(Acc a, Acc b) { return PlusPair()(a, b); }
  static void Finish(const BatchNormArgs& a, Acc sum, int64_t c) {
    a.dscale[c] = Narrow<T>(C(sum.b));
    a.doffset[c] = Narrow<T>(C(sum.a));
    Affine<C> h = a.affine[c];
    double by = double(Widen(a.scale[c])) * a.Rstd(double(a.variance_in[c]));
    double second = by * sum.b / a.count;
    a.parts[c] = {h.from, C(by), C(-second * double(h.scale)),
                  C(-by * sum.a / a.count - second * double(h.shift))};
  }
};

#if defined(SL_WAY)
SL_REDUCE_KERNEL(SL_CHANNEL, BatchNormArgs)
#else

// The affine of every channel from given statistics: with scale and offset, or
// xhat alone.
SL_GLOBAL(channel_affine, BatchNormArgs, a) {
  using C = Compute<T>;
  for (int64_t c = FirstThread(); c < a.channels; c += AllThreads()) {
    double mean = double(a.mean_in[c]);
    double rstd = a.Rstd(double(a.variance_in[c]));
    a.affine[c] = a.offset
                      ? Affine<C>::Of(mean, rstd, double(Widen(a.scale[c])),
                                      double(Widen(a.offset[c])))
                      : Affine<C>::Of(mean, rstd);
  }
}

// Packs of SL_PACK elements: all of one channel, or of adjacent channels if
// SL_ROWS.
using Some = Pack<T, SL_PACK>;
constexpr int kChannels = SL_ROWS ? SL_PACK : 1;

// Calls f(pack, value of its first channel, value of the next) for each pack of
// this thread. In rows a thread keeps its channels and their values.
template <class Of, class F>
inline void EachPack(const BatchNormArgs& a, const Of* of, F f) {
  Of held[kChannels];
  int64_t packs = a.elements / SL_PACK, row = a.channels / SL_PACK;
  int64_t threads = AllThreads();
  if (SL_ROWS && row <= threads) {
    threads = threads / row * row;
    int64_t first = FirstThread();
    if (first >= threads) return;
    int64_t channel = first - Quotient(first, row) * row;
#pragma unroll
    for (int k = 0; k < kChannels; ++k) held[k] = of[channel * SL_PACK + k];
    for (int64_t i = first; i < packs; i += threads) f(i, held);
    return;
  }
  for (int64_t i = FirstThread(); i < packs; i += threads) {
    const Of* here = of + a.ChannelOf(i * SL_PACK);
#pragma unroll
    for (int k = 0; k < kChannels; ++k) held[k] = here[k];
    f(i, held);
  }
}

SL_GLOBAL(apply_affine, BatchNormArgs, a) {
  const Some* x = reinterpret_cast<const Some*>(a.x);
  Some* y = reinterpret_cast<Some*>(a.y);
  EachPack(a, a.affine, [&](int64_t i, const Affine<Compute<T>>* affine) {
    Some from = x[i], to;
#pragma unroll
    for (int k = 0; k < SL_PACK; ++k) {
      to.v[k] = Narrow<T>(affine[SL_ROWS ? k : 0].Apply(Widen(from.v[k])));
    }
    y[i] = to;
  });
}

SL_GLOBAL(apply_parts, BatchNormArgs, a) {
  using C = Compute<T>;
  const Some* x = reinterpret_cast<const Some*>(a.x);
  const Some* dy = reinterpret_cast<const Some*>(a.dy);
  Some* y = reinterpret_cast<Some*>(a.y);
  EachPack(a, a.parts, [&](int64_t i, const GradParts<C>* parts) {
    Some from = x[i], up = dy[i], to;
#pragma unroll
    for (int k = 0; k < SL_PACK; ++k) {
      const GradParts<C>& p = parts[SL_ROWS ? k : 0];
      C d = MulAdd(Widen(from.v[k]) - p.from, p.k1, p.k0);
      to.v[k] = Narrow<T>(MulAdd(Widen(up.v[k]), p.by, d));
    }
    y[i] = to;
  });
}

#endif

}  // namespace sluice
