// Igamma and Igammac, which is 1 - igamma(a, x).
#include "sluice/kernels/cpu/incomplete_gamma.h"

#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct LowerFn {
  template <class C>
  static int Prepare(const BlockParams& params) {
    return static_cast<int>(params.p[0]);
  }
  template <class C>
  static C Apply(C a, C x, int order) {
    auto p = static_cast<double>(a), at = static_cast<double>(x);
    return static_cast<C>(order == 0 ? LowerGamma(p, at)
                                     : LowerGammaByA(order, p, at));
  }
};

struct UpperFn {
  template <class C>
  static C Apply(C a, C x) {
    return static_cast<C>(
        UpperGamma(static_cast<double>(a), static_cast<double>(x)));
  }
};

BlockKernel Pick(const Attrs& attrs, std::span<const DType> in, DType out) {
  BlockKernel kernel = binary_block<LowerFn, FloatTypes>(attrs, in, out);
  kernel.params.p[0] = static_cast<double>(attrs.get<int64_t>("order"));
  kernel.formula = {};  // on GPUs it is computed by the host
  return kernel;
}

BlockKernel PickUpper(const Attrs& attrs, std::span<const DType> in,
                      DType out) {
  BlockKernel kernel = binary_block<UpperFn, FloatTypes>(attrs, in, out);
  kernel.formula = {};
  return kernel;
}

// The derivative by a, of this order, of x^(a-1) e^-x / Gamma(a): it times a
// polynomial in the derivatives of its logarithm.
GradVar Density(GradContext& g, int64_t order) {
  GradVar a = g.in(0), x = g.in(1);
  GradVar log = g.call("Xlogy", {a - 1.0, x}) - x - g.call("Lgamma", {a});
  GradVars slopes, made;
  made.push_back(g.call("Exp", {log}));
  for (int64_t k = 0; k < order; ++k) {
    if (k == 0) {
      slopes.push_back(g.call("Log", {x}) - g.call("Digamma", {a}));
    } else {
      slopes.push_back(-g.call("Polygamma", {a}, {{"n", k}}));
    }
    GradVar next;
    double choose = 1;
    for (int64_t j = 0; j <= k; ++j) {
      auto at = static_cast<size_t>(j);
      GradVar part = made[static_cast<size_t>(k - j)] * slopes[at] * choose;
      next = next ? next + part : part;
      choose = choose * static_cast<double>(k - j) / static_cast<double>(j + 1);
    }
    made.push_back(next);
  }
  return made.back();
}

// The sum of x^(a+n) exp(-x) / Gamma(a+n+1), whose terms are all positive;
// derivatives by a are differences.
long double Sum(long double a, long double x) {
  long double sum = 0;
  long double term = std::exp(a * std::log(x) - x - std::lgamma(a + 1));
  for (int n = 1; n < 10000 && (n < x || term > 1e-22L * sum); ++n) {
    sum += term;
    term *= x / (a + n);
  }
  return sum;
}

double Reference(int64_t order, double a, double x) {
  if (!(a > 0) || !(x > 0)) {
    bool zero = x == 0 && a > 0, one = a == 0 && x > 0 && order == 0;
    return zero ? 0 : one ? 1 : NAN;
  }
  if (std::isinf(x)) return order == 0 ? 1 : 0;
  if (order == 0) return static_cast<double>(Sum(a, x));
  constexpr long double kStep = 4e-4L;
  auto slope = [&](long double h) {
    return (Sum(a + h, x) - Sum(a - h, x)) / (2 * h);
  };
  // Differences of three steps, without their errors of the lower orders.
  long double d1 = slope(kStep), d2 = slope(2 * kStep), d4 = slope(4 * kStep);
  long double e1 = (4 * d1 - d2) / 3, e2 = (4 * d2 - d4) / 3;
  return static_cast<double>((16 * e1 - e2) / 15);
}

std::vector<Sample> Samples(const std::vector<int64_t>& orders) {
  std::vector<Sample> samples;
  for (int64_t order : orders) {
    Attrs attrs;
    if (order > 0) attrs = {{"order", order}};
    auto add = [&](Sample s) {
      s.attrs = attrs;
      samples.push_back(std::move(s));
    };
    add({.in = {{7}, {7}}, .lo = 0.3, .hi = 9});
    add({.in = {{2, 3}, {3}}, .lo = 0.5, .hi = 3});
    add({.in = {Shape(), {5}}, .lo = 2, .hi = 30});
    add({.in = {{0}, {0}}});
    if (order > 0) continue;
    add({.in = {Array::Vector<float>({0, 1, 1, -1, 2, 2, NAN, 3}),
                Array::Vector<float>({2, 0, HUGE_VALF, 1, -1, NAN, 1, 3})}});
  }
  return samples;
}

}  // namespace

SL_OP_OF(Igamma, BinaryFunction)
    .doc(
        "The regularised lower incomplete gamma function P(a, x), elementwise "
        "with broadcasting: the integral of t^(a-1) exp(-t) from 0 to x over "
        "that to infinity. NaN for negative a and x.")
    .types("T", kFloats)
    .attr("order", 0, "Which derivative by a.")
    .between(0, kMaxGammaOrder)
    .grad([](GradContext& g) {
      int64_t order = g.attr<int64_t>("order");
      if (g.wants(0) && order == kMaxGammaOrder) {
        return g.fail("there are no further derivatives by a");
      }
      if (g.wants(0)) {
        g.set_dx(0, g.times_dy(g.call("Igamma", {g.in(0), g.in(1)},
                                      {{"order", order + 1}})));
      }
      if (g.wants(1)) g.set_dx(1, g.times_dy(Density(g, order)));
    })
    .elementwise(Pick)
    .max_ulp(4)
    // Derivatives by a are sums of terms larger than themselves, and the
    // reference's differences of such: 13 digits.
    .tolerance(2e-5)
    .reference([](const std::vector<RefArray>& in, const Attrs& attrs) {
      int64_t order = attrs.get<int64_t>("order");
      return std::vector<RefArray>{
          ref::Map(in, [order](const std::vector<double>& v) {
            return Reference(order, v[0], v[1]);
          })};
    })
    .samples(Samples({0, 1}));
SL_FACE(Igamma).method();

SL_OP_OF(Igammac, BinaryFunction)
    .doc(
        "The regularised upper incomplete gamma function Q(a, x) = 1 - P(a, "
        "x), elementwise with broadcasting, to full precision where it is "
        "small.")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      if (g.wants(0)) {
        g.set_dx(0, -g.times_dy(g.call("Igamma", {g.in(0), g.in(1)},
                                       {{"order", int64_t{1}}})));
      }
      if (g.wants(1)) g.set_dx(1, -g.times_dy(Density(g, 0)));
    })
    .elementwise(PickUpper)
    .max_ulp(4)
    .tolerance(1e-6)
    .reference([](double a, double x) {
      bool inside = a > 0 && x > 0 && !std::isinf(x);
      return inside ? static_cast<double>(1 - Sum(a, x))
                    : 1 - Reference(0, a, x);
    })
    .samples(Samples({0}));
SL_FACE(Igammac).method();

}  // namespace sluice
