// Pooling and its gradients with channels last: a thread for several channels
// of a pixel, which it reads and writes as a pack.
#pragma once

#include "sluice/cuda/pool_windows.cuh"

namespace sluice {

constexpr int kPack = 16 / sizeof(T);
using Some = Pack<T, kPack>;
using Places = Pack<I, kPack>;

inline const Some& At(const T* p, int64_t place) {
  return reinterpret_cast<const Some*>(p)[place / kPack];
}

// Calls f(number of the first element) for each pack of this thread.
template <class F>
inline void EachPack(int64_t elements, F f) {
  for (int64_t i = FirstThread(); i < elements / kPack; i += AllThreads()) {
    f(i * kPack);
  }
}

// The positions of the maxima of every window, or their values, or another
// array's values there.
inline void MaxWindow(const PoolArgs& a) {
  using C = Compute<T>;
  using Best = reducers::BestAt<C, true>;
  struct OneLane {
    int lanes = 1, lane = 0;
  };
  I pixels = a.InPixels();
  EachPack(a.results, [&](int64_t number) {
    PoolWindows windows(a, I(number));
    typename Best::Acc best[kPack];
    for (int k = 0; k < kPack; ++k) best[k] = Best::Start();
    auto place = [&](int64_t at) {
      return a.Place(windows.plane, pixels, I(at), windows.channel);
    };
    windows.Each(a, OneLane(), [&](I at) {
      Some x = At(a.x, place(at));
#pragma unroll
      for (int k = 0; k < kPack; ++k) {
        best[k] = Best::StepAt(best[k], Widen(x.v[k]), at);
      }
    });
    Places places;
    Some y;
#pragma unroll
    for (int k = 0; k < kPack; ++k) {
      places.v[k] = I(best[k].at);
      y.v[k] = Narrow<T>(best[k].at < 0 ? -std::numeric_limits<C>::infinity()
                                        : best[k].value);
    }
    if (a.places) {
      reinterpret_cast<Places*>(a.places)[number / kPack] = places;
    } else {
      reinterpret_cast<Some*>(a.y)[number / kPack] = y;
    }
  });
}

template <bool kMax>
inline void PoolGrad(const PoolArgs& a) {
  using C = Compute<T>;
  I in_pixels = a.InPixels(), out_pixels = a.OutPixels();
  I rows = a.Axis(1).out, columns = a.Axis(2).out;
  EachPack(a.elements, [&](int64_t number) {
    I at[3], rest = I(number);
    I channel = a.TakeChannel(&rest);
    PoolWindow around[3];
#pragma unroll
    for (int k = 2; k >= 0; --k) {
      PoolAxis axis = a.Axis(k);
      I next = Over(rest, axis.in);
      at[k] = rest - next * axis.in;
      around[k] = axis.Around(at[k]);
      rest = next;
    }
    I pixel = (at[0] * a.Axis(1).in + at[1]) * a.Axis(2).in + at[2];
    C sum[kPack];
    for (int k = 0; k < kPack; ++k) sum[k] = 0;
    I o[3];
    for (o[0] = around[0].first; o[0] < around[0].last; ++o[0]) {
      for (o[1] = around[1].first; o[1] < around[1].last; ++o[1]) {
        for (o[2] = around[2].first; o[2] < around[2].last; ++o[2]) {
          bool holds = true;
          C counted = 1;
#pragma unroll
          for (int k = 0; k < 3; ++k) {
            holds = holds && a.Axis(k).Holds(o[k], at[k]);
            if (!kMax) counted *= C(a.Axis(k).At(o[k]).counted);
          }
          if (!holds) continue;
          I out = (o[0] * rows + o[1]) * columns + o[2];
          int64_t place = a.Place(rest, out_pixels, out, channel);
          Some dy = At(a.dy, place);
          Places places;
          if constexpr (kMax) {
            places = reinterpret_cast<const Places*>(a.places)[place / kPack];
          }
#pragma unroll
          for (int k = 0; k < kPack; ++k) {
            if constexpr (kMax) {
              if (places.v[k] == pixel) sum[k] += Widen(dy.v[k]);
            } else {
              if (counted > 0) sum[k] += Widen(dy.v[k]) / counted;
            }
          }
        }
      }
    }
    Some dx;
#pragma unroll
    for (int k = 0; k < kPack; ++k) dx.v[k] = Narrow<T>(sum[k]);
    int64_t place = a.Place(rest, in_pixels, pixel, channel);
    reinterpret_cast<Some*>(a.y)[place / kPack] = dx;
  });
}

SL_GLOBAL(pool, PoolArgs, a) { SL_POOL(a); }

}  // namespace sluice
