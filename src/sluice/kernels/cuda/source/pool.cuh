// Pooling, and its gradients: one sum for each element, over the windows that
// contain it. A team per result.
#pragma once

#include "sluice/cuda/pool_windows.cuh"

namespace sluice {

template <class Team>
inline void MaxWindow(const PoolArgs& a, const Team& team, const Slice& slice) {
  using Best = reducers::BestAt<Compute<T>, true>;
  PoolWindows windows(a, slice.live ? I(slice.number) : 0);
  I pixels = a.InPixels();
  auto place = [&](int64_t at) {
    return a.Place(windows.plane, pixels, I(at), windows.channel);
  };
  auto best = Best::Start();
  if (slice.live) {
    windows.Each(a, team, [&](I at) {
      best = Best::StepAt(best, Widen(a.x[place(at)]), at);
    });
  }
  best = team.All(best, [](auto p, auto q) { return Best::Join(p, q); });
  if (!slice.live || team.lane != 0) return;
  if (a.places) {
    a.places[slice.number] = I(best.at);
  } else if (a.v) {
    a.y[slice.number] = best.at < 0 ? T(0) : a.v[place(best.at)];
  } else {
    using C = Compute<T>;
    a.y[slice.number] =
        Narrow<T>(best.at < 0 ? -std::numeric_limits<C>::infinity()
                              : Widen(a.x[place(best.at)]));
  }
}

template <class Team>
inline void AvgWindow(const PoolArgs& a, const Team& team, const Slice& slice) {
  using C = Compute<T>;
  PoolWindows windows(a, slice.live ? I(slice.number) : 0);
  I pixels = a.InPixels();
  C sum = 0;
  if (slice.live) {
    windows.Each(a, team, [&](I at) {
      sum += Widen(a.x[a.Place(windows.plane, pixels, at, windows.channel)]);
    });
  }
  sum = team.All(sum, Plus());
  if (!slice.live || team.lane != 0) return;
  C counted = C(windows.w[0].counted) * C(windows.w[1].counted) *
              C(windows.w[2].counted);
  a.y[slice.number] = Narrow<T>(counted > 0 ? sum / counted : C(0));
}

// Element `number` of dx: the contributions of the windows around it.
template <bool kMax, class Team>
inline void PoolGrad(const PoolArgs& a, const Team& team, const Slice& slice) {
  using C = Compute<T>;
  I at[3], rest = slice.live ? I(slice.number) : 0;
  I channel = a.TakeChannel(&rest), pixels = a.OutPixels();
#pragma unroll
  for (int k = 2; k >= 0; --k) {
    I in = a.Axis(k).in, next = Over(rest, in);
    at[k] = rest - next * in;
    rest = next;
  }
  I pixel = (at[0] * a.Axis(1).in + at[1]) * a.Axis(2).in + at[2];
  int64_t plane = rest;
  PoolWindow around[3];
  I n[3];
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    around[k] = a.Axis(k).Around(at[k]);
    n[k] = slice.live ? around[k].count() : 0;
  }
  C sum = 0;
  I rows = a.Axis(1).out, columns = a.Axis(2).out;
  auto window = [&](I i, I j, I l) {
    I o[3] = {around[0].first + i, around[1].first + j, around[2].first + l};
    bool holds = true;
#pragma unroll
    for (int k = 0; k < 3; ++k) holds = holds && a.Axis(k).Holds(o[k], at[k]);
    if (!holds) return;
    int64_t out =
        a.Place(plane, pixels, (o[0] * rows + o[1]) * columns + o[2], channel);
    if constexpr (kMax) {
      if (a.places[out] == pixel) sum += Widen(a.dy[out]);
    } else {
      C counted = 1;
#pragma unroll
      for (int k = 0; k < 3; ++k) counted *= C(a.Axis(k).At(o[k]).counted);
      if (counted > 0) sum += Widen(a.dy[out]) / counted;
    }
  };
  if (team.lanes == 1) {
    for (I i = 0; i < n[0]; ++i) {
      for (I j = 0; j < n[1]; ++j) {
        for (I l = 0; l < n[2]; ++l) window(i, j, l);
      }
    }
  } else {
    for (I t = team.lane; t < n[0] * n[1] * n[2]; t += team.lanes) {
      I row = Over(t, n[2]), i = Over(row, n[1]);
      window(i, row - i * n[1], t - row * n[2]);
    }
  }
  sum = team.All(sum, Plus());
  if (slice.live && team.lane == 0) a.y[slice.number] = Narrow<T>(sum);
}

SL_SLICE_KERNEL(pool, PoolArgs, SL_POOL)

}  // namespace sluice
