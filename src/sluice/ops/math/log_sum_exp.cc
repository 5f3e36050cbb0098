#include <cmath>
#include <limits>

#include "sluice/kernels/cpu/reduce.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/math/reduce_grad.h"
#include "sluice/ops/math/reduction.h"

namespace sluice {
namespace {

// The largest element so far and the sum of exp(x - largest).
template <class C>
struct LogSumExpOf {
  struct Acc {
    C largest, sum;
  };
  static Acc Start() { return {-std::numeric_limits<C>::infinity(), 0}; }
  static Acc Step(Acc a, C x) {
    // One of the two is exp(0); the difference of equal infinities is NaN.
    C gap = x > a.largest ? a.largest - x : x - a.largest;
    C e = vmath::Exp(x == a.largest ? C(0) : gap);
    C grown = a.sum * e + C(1), added = a.sum + e;
    return {x > a.largest ? x : a.largest, x > a.largest ? grown : added};
  }
  static Acc Combine(Acc a, Acc b) {
    bool swap = b.largest > a.largest;
    C high = swap ? b.largest : a.largest, low = swap ? a.largest : b.largest;
    C e = vmath::Exp(low == high ? C(0) : low - high);
    C sum = swap ? b.sum + a.sum * e : a.sum + b.sum * e;
    return {high, sum};
  }
  static C Finish(Acc a, int64_t) { return a.largest + vmath::Log(a.sum); }
};

SL_INLINE float ExpNear(float x) { return vmath::ExpNear(x); }
SL_INLINE double ExpNear(double x) { return vmath::Exp(x); }

// A row is in the first cache: its largest element first, then the sum.
template <class R, class T>
struct Rows {
  using C = Compute<T>;
  static void Run(const void* data, int64_t rows, int64_t n, void* result,
                  const BlockParams&) {
    constexpr int kLanes = 16;
    constexpr C kInf = std::numeric_limits<C>::infinity();
    const T* x = static_cast<const T*>(data);
    auto* acc = static_cast<typename R::Acc*>(result);
    for (int64_t r = 0; r < rows; ++r, x += n) {
      C high[kLanes], low[kLanes], sum[kLanes] = {};
      for (C& h : high) h = -kInf;
      for (C& l : low) l = kInf;
      uint32_t nan[kLanes] = {};
      int64_t whole = n / kLanes * kLanes;
      for (int64_t i = 0; i < whole; i += kLanes) {
        for (int k = 0; k < kLanes; ++k) {
          C v = static_cast<C>(x[i + k]);
          high[k] = v > high[k] ? v : high[k];
          low[k] = v < low[k] ? v : low[k];
          nan[k] |= v != v;
        }
      }
      for (int64_t i = whole; i < n; ++i) {
        C v = static_cast<C>(x[i]);
        high[0] = v > high[0] ? v : high[0];
      }
      // Whether all whole groups are in the range of ExpNear.
      bool near = std::is_same_v<C, float>;
      for (int k = 1; k < kLanes; ++k) {
        high[0] = high[k] > high[0] ? high[k] : high[0];
      }
      for (int k = 0; k < kLanes; ++k) {
        near = near && nan[k] == 0 && high[0] - low[k] <= C(87);
      }
      // NaN is left to the sum; infinities are no shift.
      C shift = std::fabs(high[0]) < kInf ? high[0] : C(0);
      if (near) {
        for (int64_t i = 0; i < whole; i += kLanes) {
          for (int k = 0; k < kLanes; ++k) {
            sum[k] += ExpNear(static_cast<C>(x[i + k]) - shift);
          }
        }
      } else {
        for (int64_t i = 0; i < whole; i += kLanes) {
          for (int k = 0; k < kLanes; ++k) {
            sum[k] += vmath::Exp(static_cast<C>(x[i + k]) - shift);
          }
        }
      }
      for (int64_t i = whole; i < n; ++i) {
        sum[i - whole] += vmath::Exp(static_cast<C>(x[i]) - shift);
      }
      for (int width = kLanes / 2; width > 0; width /= 2) {
        for (int k = 0; k < width; ++k) sum[k] += sum[k + width];
      }
      acc[r] = {high[0], sum[0]};
    }
  }
};

template <class... Ts>
const ReduceLoops* Pick(DType dtype, Types<Ts...>) {
  const ReduceLoops* loops = nullptr;
  ((DTypeOf<Ts>::value == dtype
        ? void(loops = &reduce_internal::LoopsOf<
                       LogSumExpOf<Compute<Ts>>, Ts, Ts,
                       Rows<LogSumExpOf<Compute<Ts>>, Ts>>())
        : void()),
   ...);
  return loops;
}

Status Launch(KernelContext& ctx) {
  return RunReduce(ctx, *Pick(ctx.in(0).dtype(), FloatTypes{}));
}

double Fold(const std::vector<double>& v) {
  double high = -HUGE_VAL, sum = 0;
  for (double x : v) high = std::fmax(high, x);
  if (std::isinf(high)) high = 0;
  for (double x : v) sum += std::exp(x - high);
  return high + std::log(sum);
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples = ReduceSamples(true);
  samples.push_back(
      {.in = {{40, 33}}, .attrs = {{"axes", Ints{0}}}, .lo = -300, .hi = 300});
  samples.push_back(
      {.in = {{33, 40}}, .attrs = {{"axes", Ints{1}}}, .lo = -300, .hi = 300});
  constexpr float kInf = HUGE_VALF;
  for (auto [a, b] : std::vector<std::pair<float, float>>{{-kInf, -kInf},
                                                          {kInf, 1},
                                                          {kInf, kInf},
                                                          {-kInf, 2},
                                                          {NAN, 1},
                                                          {1, NAN},
                                                          {-kInf, kInf}}) {
    samples.push_back({.in = {Array::Of<float>({2}, {a, b})}});
    samples.push_back({.in = {Array::Of<float>({2, 1}, {a, b})},
                       .attrs = {{"axes", Ints{0}}}});
  }
  return samples;
}

}  // namespace

SL_OP_OF(LogSumExp, Reduction)
    .doc(
        "log of the sum of exp(x) over some axes, without overflow on the way. "
        "Of no elements it is -inf.")
    .types("T", kFloats)
    .shape(shapes::reduce)
    .grad([](GradContext& g) {
      GradVar dy = WithReducedAxes(g, g.dy()), y = WithReducedAxes(g, g.out());
      g.set_dx(0, g.call("MulNoNan", {dy, g.call("Exp", {g.in(0) - y})}));
    })
    .cpu(Launch)
    .cpu_workspace(reduce_wide_workspace)
    .tolerance(1e-5)
    .reference([](const std::vector<RefArray>& in, const Attrs& attrs) {
      return std::vector<RefArray>{ref::Reduce(in[0], attrs, Fold)};
    })
    .samples(Samples())
    .rejects(ReduceRejects("LogSumExp"));
SL_AUTOCAST(LogSumExp, kF32);

}  // namespace sluice
