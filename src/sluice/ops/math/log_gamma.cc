// Lgamma and Digamma.
#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/gamma.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/family.h"

namespace sluice {
namespace {

struct LgammaFn {
  template <class C>
  static C Apply(C x) {
    return static_cast<C>(Lgamma(static_cast<double>(x)));
  }
};

// Stirling's series far out, reached by Gamma(x + 1) = x Gamma(x).
double LgammaReference(double x) {
  constexpr double kPi = 3.14159265358979323846;
  if (std::isnan(x)) return x;
  if (std::isinf(x) || (x <= 0 && std::floor(x) == x)) return HUGE_VAL;
  if (x < 0.5) {
    double turn = x - 2 * std::floor(x / 2);
    return std::log(kPi / std::fabs(std::sin(kPi * turn))) -
           LgammaReference(1 - x);
  }
  long double shift = 0, z = x;
  for (; z < 40; z += 1) shift += std::log(z);
  long double w = 1 / (z * z);
  long double s =
      (1 / 12.0L - w * (1 / 360.0L - w * (1 / 1260.0L - w / 1680))) / z;
  s += (z - 0.5L) * std::log(z) - z + 0.918938533204672741780L;
  return static_cast<double>(s - shift);
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples = UnarySamples(0.1, 30, /*specials=*/false);
  samples.push_back({.in = {{67}}, .lo = -8.3, .hi = -0.1});
  samples.push_back({.in = {Array::Vector<float>({0.0f, -1.0f, -3.0f, 1e10f,
                                                  HUGE_VALF, -HUGE_VALF, NAN,
                                                  -0.0f, 1.0f, 2.0f, 0.5f})}});
  return samples;
}

struct DigammaFn {
  template <class C>
  static C Apply(C x) {
    return static_cast<C>(Digamma(static_cast<double>(x)));
  }
};

// The asymptotic series far out, reached by psi(x + 1) = psi(x) + 1 / x.
double DigammaReference(double x) {
  constexpr double kPi = 3.14159265358979323846;
  if (std::isnan(x) || x == HUGE_VAL) return x;
  if (x == 0) return std::copysign(HUGE_VAL, -x);
  if (x < 0 && std::floor(x) == x) return NAN;  // -infinity too
  if (x < 0) {
    double turn = x - std::floor(x);
    return DigammaReference(1 - x) - kPi / std::tan(kPi * turn);
  }
  long double shift = 0, z = x;
  for (; z < 60; z += 1) shift += 1 / z;
  long double w = 1 / (z * z);
  long double s =
      std::log(z) - 0.5L / z - w / 12 + w * w / 120 - w * w * w / 252;
  return static_cast<double>(s - shift);
}

OpDefinition& LogGamma(OpDefinition&& op, std::string_view name) {
  return op.input("x: T")
      .output("y: T")
      .types("T", kFloats)
      .max_ulp(4)
      .tolerance(1e-6)
      .samples(Samples())
      .rejects(UnaryRejects(name));
}

}  // namespace

SL_OP_OF(Lgamma, LogGamma)
    .doc(
        "log |Gamma(x)|, elementwise; infinite at 0 and the negative integers.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.times_dy(g.call("Digamma", {g.in(0)})));
    })
    .elementwise(unary_block<LgammaFn>)
    .reference(LgammaReference);
SL_FACE(Lgamma).method();

SL_OP_OF(Digamma, LogGamma)
    .doc(
        "The derivative of log Gamma(x), elementwise; NaN at the negative "
        "integers, infinite at 0.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.times_dy(g.call("Polygamma", {g.in(0)}, {{"n", 1}})));
    })
    .elementwise(unary_block<DigammaFn>)
    .reference(DigammaReference);
SL_FACE(Digamma).method();

}  // namespace sluice
