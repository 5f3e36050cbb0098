#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/gamma.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

struct PolygammaFn {
  template <class C>
  static int Prepare(const BlockParams& params) {
    return static_cast<int>(params.p[0]);
  }
  template <class C>
  static C Apply(C x, int n) {
    return static_cast<C>(Polygamma(n, static_cast<double>(x)));
  }
};

BlockKernel Pick(const Attrs& attrs, std::span<const DType> in, DType out) {
  BlockKernel kernel = unary_block<PolygammaFn>(attrs, in, out);
  kernel.params.p[0] = static_cast<double>(attrs.get<int64_t>("n"));
  return kernel;
}

// (-1)^(n+1) n! times the sum of (x + k)^-(n+1), term by term up to a place
// from where an integral with two corrections will do.
double Reference(int64_t n, double x) {
  if (std::isnan(x) || x == HUGE_VAL) return std::isnan(x) ? x : 0;
  if (x == -HUGE_VAL) return NAN;
  long double sign = n % 2 == 0 ? -1 : 1, s = n + 1, sum = 0, z = x;
  if (x <= 0 && std::floor(x) == x) return double(sign) * HUGE_VAL;
  for (; z < 2000; z += 1) sum += std::pow(z, -s);
  sum += std::pow(z, 1 - s) / (s - 1) + std::pow(z, -s) / 2 +
         s * std::pow(z, -s - 1) / 12;
  return static_cast<double>(sign * std::tgamma(s) * sum);
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples;
  for (int64_t n : {1, 2, 3, 6}) {
    Attrs attrs = {{"n", n}};
    samples.push_back({.in = {{67}}, .attrs = attrs, .lo = 0.3, .hi = 30});
    samples.push_back({.in = {{2, 3}}, .attrs = attrs, .lo = 0.5, .hi = 3});
    // Between the poles, where odd derivatives have no zeros.
    if (n % 2 == 1) {
      samples.push_back({.in = {{5}}, .attrs = attrs, .lo = -3.8, .hi = -3.2});
    }
    samples.push_back(
        {.in = {Array::Vector<float>({0, -0.0f, -1, -3, HUGE_VALF, NAN, 1})},
         .attrs = attrs});
  }
  samples.push_back({.in = {{0}}, .attrs = {{"n", 1}}});
  return samples;
}

}  // namespace

SL_OP(Polygamma)
    .doc(
        "The n-th derivative of Digamma, elementwise; infinite at 0 and the "
        "negative integers.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .attr("n", AttrKind::kInt, "Which derivative.")
    .between(1, kMaxPolygamma)
    .grad([](GradContext& g) {
      int64_t n = g.attr<int64_t>("n");
      g.set_dx(0, g.times_dy(g.call("Polygamma", {g.in(0)}, {{"n", n + 1}})));
    })
    .elementwise(Pick)
    .max_ulp(4)
    .tolerance(1e-6)
    .reference([](const std::vector<RefArray>& in, const Attrs& attrs) {
      int64_t n = attrs.get<int64_t>("n");
      return std::vector<RefArray>{ref::Map(
          in,
          [n](const std::vector<double>& v) { return Reference(n, v[0]); })};
    })
    .samples(Samples());

}  // namespace sluice
