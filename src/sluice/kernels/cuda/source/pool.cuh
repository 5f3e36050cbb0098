// Pooling over 1 to 3 spatial axes of [planes, ...], and its gradients: one sum
// for each element, over the windows it lies in. T: the elements' type.
#pragma once

#include "sluice/cuda/affine.cuh"
#include "sluice/cuda/reducers.cuh"
#include "sluice/cuda/team.cuh"

namespace sluice {

struct PoolWindow {
  int64_t first, last, step, counted;
  int64_t count() const {
    return first < last ? Quotient(last - first - 1, step) + 1 : 0;
  }
};

// As kernels/cuda/pool.cc has it, and kernels/cpu/pool/pool_geometry.h.
struct PoolAxis {
  int64_t in, out;
  // Windows of a fixed size, or (kernel == 0) as many as `out` says.
  int64_t kernel, stride, dilation, pad, pad_after, count_padding;

  PoolWindow At(int64_t o) const {
    if (kernel == 0) {
      int64_t first = Quotient(o * in, out);
      int64_t last = Quotient((o + 1) * in + out - 1, out);
      return {first, last, 1, last - first};
    }
    int64_t start = o * stride - pad;
    int64_t end = start + (kernel - 1) * dilation + 1, first = start;
    if (first < 0)
      first += Quotient(-first + dilation - 1, dilation) * dilation;
    int64_t last = std::min(end, in);
    int64_t counted = count_padding ? std::min(end, in + pad_after) - start
                                    : std::max<int64_t>(last - first, 0);
    return {first, last, dilation, counted};
  }
  // Outputs [first, last) among which are all whose windows hold element i.
  PoolWindow Around(int64_t i) const {
    if (kernel == 0) {
      return {Quotient(i * out, in),
              std::min(Quotient((i + 1) * out + in - 1, in), out), 1, 0};
    }
    int64_t low = i + pad - (kernel - 1) * dilation;
    return {low <= 0 ? 0 : Quotient(low + stride - 1, stride),
            std::min(Quotient(i + pad, stride) + 1, out), 1, 0};
  }
  bool Holds(int64_t o, int64_t i) const {
    if (kernel == 0) return true;
    int64_t from = i + pad - o * stride;
    return from - Quotient(from, dilation) * dilation == 0;
  }
};

struct PoolArgs {
  Slices s;  // rows: outputs; of gradients: elements of x
  PoolAxis axis[3];
  const T *x, *v, *dy;
  T* y;             // of gradients: dx
  int64_t* places;  // in its plane, of each output's greatest element
  int64_t results;  // outputs

  int64_t InPixels() const { return axis[0].in * axis[1].in * axis[2].in; }
  int64_t OutPixels() const { return axis[0].out * axis[1].out * axis[2].out; }
};

struct PoolWindows {
  int64_t plane;
  PoolWindow w[3];
  PoolWindows(const PoolArgs& a, int64_t output) {
    int64_t rest = output;
    for (int k = 2; k >= 0; --k) {
      int64_t next = Quotient(rest, a.axis[k].out);
      w[k] = a.axis[k].At(rest - next * a.axis[k].out);
      rest = next;
    }
    plane = rest;
  }
  // f(place in the plane) for a lane's share, in order.
  template <class Team, class F>
  void Each(const PoolArgs& a, const Team& team, F f) const {
    if (team.lanes == 1) {
      for (int64_t i = w[0].first; i < w[0].last; i += w[0].step) {
        for (int64_t j = w[1].first; j < w[1].last; j += w[1].step) {
          int64_t row = (i * a.axis[1].in + j) * a.axis[2].in;
          for (int64_t k = w[2].first; k < w[2].last; k += w[2].step) {
            f(row + k);
          }
        }
      }
      return;
    }
    int64_t n1 = w[1].count(), n2 = w[2].count(), n = w[0].count() * n1 * n2;
    for (int64_t t = team.lane; t < n; t += team.lanes) {
      int64_t row = Quotient(t, n2), i = Quotient(row, n1);
      int64_t k = w[2].first + (t - row * n2) * w[2].step;
      int64_t j = w[1].first + (row - i * n1) * w[1].step;
      i = w[0].first + i * w[0].step;
      f((i * a.axis[1].in + j) * a.axis[2].in + k);
    }
  }
};

template <class Team>
inline void MaxWindow(const PoolArgs& a, const Team& team, const Slice& slice) {
  using Best = reducers::BestAt<Compute<T>, true>;
  PoolWindows windows(a, slice.live ? slice.number : 0);
  const T* plane = a.x + windows.plane * a.InPixels();
  auto best = Best::Start();
  if (slice.live) {
    windows.Each(a, team, [&](int64_t at) {
      best = Best::StepAt(best, Widen(plane[at]), at);
    });
  }
  best = team.All(best, [](auto p, auto q) { return Best::Join(p, q); });
  if (!slice.live || team.lane != 0) return;
  if (a.places) {
    a.places[slice.number] = best.at;
  } else if (a.v) {
    const T* from = a.v + windows.plane * a.InPixels();
    a.y[slice.number] = best.at < 0 ? T(0) : from[best.at];
  } else {
    using C = Compute<T>;
    a.y[slice.number] =
        Narrow<T>(best.at < 0 ? -std::numeric_limits<C>::infinity()
                              : Widen(plane[best.at]));
  }
}

template <class Team>
inline void AvgWindow(const PoolArgs& a, const Team& team, const Slice& slice) {
  using C = Compute<T>;
  PoolWindows windows(a, slice.live ? slice.number : 0);
  const T* plane = a.x + windows.plane * a.InPixels();
  C sum = 0;
  if (slice.live) {
    windows.Each(a, team, [&](int64_t at) { sum += Widen(plane[at]); });
  }
  sum = team.All(sum, Plus());
  if (!slice.live || team.lane != 0) return;
  C counted = C(windows.w[0].counted) * C(windows.w[1].counted) *
              C(windows.w[2].counted);
  a.y[slice.number] = Narrow<T>(counted > 0 ? sum / counted : C(0));
}

// Element `number` of x: what the windows around it give it.
template <bool kMax, class Team>
inline void PoolGrad(const PoolArgs& a, const Team& team, const Slice& slice) {
  using C = Compute<T>;
  int64_t at[3], rest = slice.live ? slice.number : 0;
  for (int k = 2; k >= 0; --k) {
    int64_t next = Quotient(rest, a.axis[k].in);
    at[k] = rest - next * a.axis[k].in;
    rest = next;
  }
  int64_t pixel = (at[0] * a.axis[1].in + at[1]) * a.axis[2].in + at[2];
  int64_t plane = rest * a.OutPixels();
  PoolWindow around[3];
  int64_t n[3];
  for (int k = 0; k < 3; ++k) {
    around[k] = a.axis[k].Around(at[k]);
    n[k] = slice.live ? around[k].count() : 0;
  }
  C sum = 0;
  for (int64_t t = team.lane; t < n[0] * n[1] * n[2]; t += team.lanes) {
    int64_t row = Quotient(t, n[2]), i = Quotient(row, n[1]);
    int64_t o[3] = {around[0].first + i, around[1].first + row - i * n[1],
                    around[2].first + t - row * n[2]};
    bool holds = true;
    for (int k = 0; k < 3; ++k) holds = holds && a.axis[k].Holds(o[k], at[k]);
    if (!holds) continue;
    int64_t out = plane + (o[0] * a.axis[1].out + o[1]) * a.axis[2].out + o[2];
    if constexpr (kMax) {
      if (a.places[out] == pixel) sum += Widen(a.dy[out]);
    } else {
      C counted = 1;
      for (int k = 0; k < 3; ++k) counted *= C(a.axis[k].At(o[k]).counted);
      if (counted > 0) sum += Widen(a.dy[out]) / counted;
    }
  }
  sum = team.All(sum, Plus());
  if (slice.live && team.lane == 0) a.y[slice.number] = Narrow<T>(sum);
}

SL_SLICE_KERNEL(pool, PoolArgs, SL_POOL)

}  // namespace sluice
