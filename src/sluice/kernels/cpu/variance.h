// Var and Std: sums and sums of squares, accumulated in double for f32 and half
// types, whose 24 bits leave room for their difference. doubles are accumulated
// in two parts each, for the same reason. Stateless.
#pragma once

#include <cmath>

#include "sluice/kernels/cpu/mul_add.h"
#include "sluice/kernels/cpu/reduce.h"

namespace sluice::variance {

// left / (n - correction), where left = q - s^2 / n; params.p[0] is correction.
inline double Spread(double left, int64_t n, const BlockParams& params) {
  double over = static_cast<double>(n) - params.p[0];
  if (!(over > 0)) return std::nan("");
  return (left < 0 ? 0 : left) / over;  // comparisons keep NaN
}

template <class C, bool kRoot>
struct Moments {
  struct Acc {
    double s, q;
  };
  static Acc Start() { return {0, 0}; }
  static Acc Step(Acc a, C x) {
    auto v = static_cast<double>(x);
    return {a.s + v, MulAdd(v, v, a.q)};
  }
  static Acc Combine(Acc a, Acc b) { return {a.s + b.s, a.q + b.q}; }
  static double Finish(Acc a, int64_t n, const BlockParams& params) {
    double v = Spread(a.q - a.s * a.s / static_cast<double>(n), n, params);
    return kRoot ? std::sqrt(v) : v;
  }
};

// a + b, with the rounding error added to `low`.
inline void AddTo(double& a, double& low, double b) {
  double sum = a + b, back = sum - a;
  low += (a - (sum - back)) + (b - back);
  a = sum;
}

template <bool kRoot>
struct Moments<double, kRoot> {
  struct Acc {
    double s, s_low, q, q_low;
  };
  static Acc Start() { return {0, 0, 0, 0}; }
  static Acc Step(Acc a, double x) {
    double square = x * x;
    AddTo(a.s, a.s_low, x);
    AddTo(a.q, a.q_low, square);
    a.q_low += MulAdd(x, x, -square);
    return a;
  }
  static Acc Combine(Acc a, Acc b) {
    AddTo(a.s, a.s_low, b.s);
    AddTo(a.q, a.q_low, b.q);
    a.s_low += b.s_low;
    a.q_low += b.q_low;
    return a;
  }
  static double Finish(Acc a, int64_t n, const BlockParams& params) {
    auto count = static_cast<double>(n);
    // s^2 / n in two parts.
    double square = a.s * a.s;
    double square_low = MulAdd(a.s, a.s, -square) + 2 * a.s * a.s_low;
    double part = square / count;
    double part_low = (MulAdd(-part, count, square) + square_low) / count;
    double left = (a.q - part) + (a.q_low - part_low);
    double v = Spread(left, n, params);
    return kRoot ? std::sqrt(v) : v;
  }
};

// Rows with sums and squares in separate arrays: as pairs they would not
// vectorize.
template <class R, class T>
struct Rows {
  static void Run(const void* data, int64_t rows, int64_t n, void* result,
                  const BlockParams&) {
    constexpr int kLanes = 16;
    const T* x = static_cast<const T*>(data);
    auto* acc = static_cast<typename R::Acc*>(result);
    for (int64_t r = 0; r < rows; ++r, x += n) {
      double s[kLanes] = {}, q[kLanes] = {};
      int64_t i = 0;
      for (; i + kLanes <= n; i += kLanes) {
        for (int k = 0; k < kLanes; ++k) {
          auto v = static_cast<double>(static_cast<float>(x[i + k]));
          s[k] += v;
          q[k] = MulAdd(v, v, q[k]);
        }
      }
      for (int k = 0; i + k < n; ++k) {
        auto v = static_cast<double>(static_cast<float>(x[i + k]));
        s[k] += v;
        q[k] = MulAdd(v, v, q[k]);
      }
      for (int width = kLanes / 2; width > 0; width /= 2) {
        for (int k = 0; k < width; ++k) {
          s[k] += s[k + width];
          q[k] += q[k + width];
        }
      }
      acc[r] = {s[0], q[0]};
    }
  }
};

template <class T, bool kRoot>
const ReduceLoops& LoopsFor() {
  using R = Moments<Compute<T>, kRoot>;
  if constexpr (std::is_same_v<T, double>) {
    return reduce_internal::LoopsOf<R, T, T>();
  } else {
    return reduce_internal::LoopsOf<R, T, T, Rows<R, T>>();
  }
}

template <bool kRoot>
Status Kernel(KernelContext& ctx) {
  BlockParams params;
  params.p[0] = static_cast<double>(ctx.attr<int64_t>("correction"));
  switch (ctx.in(0).dtype()) {
    case DType::kF32:
      return RunReduce(ctx, LoopsFor<float, kRoot>(), params);
    case DType::kF64:
      return RunReduce(ctx, LoopsFor<double, kRoot>(), params);
    case DType::kF16:
      return RunReduce(ctx, LoopsFor<f16, kRoot>(), params);
    default:
      return RunReduce(ctx, LoopsFor<bf16, kRoot>(), params);
  }
}

}  // namespace sluice::variance
