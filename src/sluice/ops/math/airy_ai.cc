#include <cmath>
#include <complex>

#include "sluice/kernels/cpu/airy.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct AiryFn {
  template <class C>
  static int Prepare(const BlockParams& params) {
    return static_cast<int>(params.p[0]);
  }
  template <class C>
  static C Apply(C x, int order) {
    auto at = static_cast<double>(x);
    return static_cast<C>(order == 0 ? AiryAi(at) : AiryAiSlope(at));
  }
};

BlockKernel Pick(const Attrs& attrs, std::span<const DType> in, DType out) {
  BlockKernel kernel = unary_block<AiryFn>(attrs, in, out);
  kernel.params.p[0] = static_cast<double>(attrs.get<int64_t>("order"));
  kernel.formula = {};  // on GPUs it is computed by the host
  return kernel;
}

// The integral that defines it, exp(i (w^3 / 3 + x w)) along a line above the
// axis, where it falls on both sides.
double Integral(int64_t order, double x) {
  using Complex = std::complex<long double>;
  if (std::isinf(x)) return 0;
  long double height = x > 1 ? std::sqrt(x) : 1, step = 0.002L, far = 14;
  Complex sum = 0;
  for (long double u = -far; u <= far; u += step) {
    Complex w(u, height), i(0, 1);
    Complex part = std::exp(i * (w * w * w / 3.0L + Complex(x) * w));
    sum += order == 0 ? part : i * w * part;
  }
  return static_cast<double>(sum.real() * step / (2 * std::acos(-1.0L)));
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples;
  for (int64_t order : {0, 1}) {
    Attrs attrs = {{"order", order}};
    samples.push_back({.in = {{67}}, .attrs = attrs, .lo = -7, .hi = 4});
    samples.push_back({.in = {{2, 3}}, .attrs = attrs, .lo = -1, .hi = 1});
    samples.push_back({.in = {{0}}, .attrs = attrs});
    samples.push_back(
        {.in = {Array::Vector<float>({-9.5f, -8, 0, 0.5f, 6, NAN})},
         .attrs = attrs});
  }
  return samples;
}

}  // namespace

SL_OP_OF(AiryAi, FloatFunction)
    .doc(
        "Airy's function Ai, elementwise: the solution of y'' = x y that falls "
        "to 0 for large x; its derivative for order 1.")
    .attr("order", 0, "0, or 1 for the derivative.")
    .between(0, 1)
    .grad([](GradContext& g) {
      int64_t order = g.attr<int64_t>("order");
      GradVar other = g.call("AiryAi", {g.in(0)}, {{"order", 1 - order}});
      g.set_dx(0, g.dy() * (order == 0 ? other : g.in(0) * other));
    })
    .elementwise(Pick)
    .max_ulp(8)
    .tolerance(2e-6)
    .reference([](const std::vector<RefArray>& in, const Attrs& attrs) {
      int64_t order = attrs.get<int64_t>("order");
      return std::vector<RefArray>{
          ref::Map(in, [order](const std::vector<double>& v) {
            return Integral(order, v[0]);
          })};
    })
    .samples(Samples());

}  // namespace sluice
