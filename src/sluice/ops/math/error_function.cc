// Erf and Erfc, which is 1 - erf(x).
#include <cmath>

#include "sluice/kernels/cpu/long_formula.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct ErfFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Erf(x);
  }
};

struct ErfcFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Erfc(x);
  }
};

// `kSign`: that of the slope.
template <class Fn, int kSign>
OpDefinition& ErrorFunction(OpDefinition&& op, std::string_view name) {
  return FloatFunction(std::move(op), name)
      .grad([](GradContext& g) {
        constexpr double kSlope =
            kSign * 1.12837916709551257390;  // 2 / sqrt(pi)
        GradVar bell = g.call("Exp", {-g.call("Square", {g.in(0)})});
        g.set_dx(0, g.dy() * (kSlope * bell));
      })
      .elementwise(long_block<Fn>);
}

}  // namespace

SL_OP_OF(Erf, ErrorFunction<ErfFn, 1>)
    .doc(
        "The error function, elementwise: 2 / sqrt(pi) times the integral of "
        "exp(-t^2) from 0 to x.")
    .max_ulp(2)
    .reference([](double x) { return std::erf(x); })
    .samples(UnarySamples(-4, 4));
SL_FACE(Erf).method();

SL_OP_OF(Erfc, ErrorFunction<ErfcFn, -1>)
    .doc(
        "1 - erf(x), elementwise, to full precision also where erf(x) is "
        "nearly 1.")
    .max_ulp(6)
    .reference([](double x) { return std::erfc(x); })
    .samples(UnarySamples(-4, 9));
SL_FACE(Erfc).method();

}  // namespace sluice
