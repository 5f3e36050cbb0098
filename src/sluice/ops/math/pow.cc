#include <cmath>

#include "sluice/kernels/cpu/checked_binary.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/op/simplify_context.h"

namespace sluice {
namespace {

struct PowFn {
  template <class C>
  static C Apply(C a, C b) {
    // Like Square, which replaces it if the exponent 2 is known beforehand: the
    // library's result is one ulp off for one number in a thousand.
    if (b == C(2)) return a * a;
    return std::pow(a, b);
  }
};

struct PowInt {
  static constexpr const char* kError = "negative exponent of an integer";
  template <class C>
  static bool Valid(C, C b) {
    return !(b < 0);
  }
  template <class C>
  static C Apply(C a, C b) {
    auto base = ToWrap(a);
    decltype(base) y = 1;
    for (auto e = ToWrap(b); e != 0; e >>= 1, base *= base) {
      if (e & 1) y *= base;
    }
    return Wrap<C>(y);
  }
};

std::vector<Sample> Samples() {
  std::vector<Sample> samples = BinarySamples(0, 3);
  samples.push_back({.in = {Array::Vector<int32_t>({-2, -2, 0, 7, 1}),
                            Array::Vector<int32_t>({3, 4, 0, 1, 1000})}});
  samples.push_back({.in = {Array::Vector<float>({-2, -2, 0, 4, -8}),
                            Array::Vector<float>({3, -2, 0, 0.5f, 0.3f})}});
  return samples;
}

std::vector<Reject> Rejects() {
  std::vector<Reject> rejects = BinaryRejects("Pow");
  rejects.push_back(
      {.in = {Array::Vector<int64_t>({2}), Array::Vector<int64_t>({-1})},
       .message = "[Pow] negative exponent of an integer"});
  return rejects;
}

}  // namespace

SL_OP(Pow)
    .doc(
        "a to the power b, elementwise with broadcasting. Integers wrap, and a "
        "negative exponent of one is an error.")
    .input("a: T")
    .input("b: T")
    .output("y: T")
    .types("T", kReals)
    .grad([](GradContext& g) {
      GradVar a = g.in(0), b = g.in(1);
      if (g.wants(0)) {
        // 0^0 is constant in a, though 0^-1 is infinite: gradients of this one
        // must not meet it either.
        GradVar none = g.scalar(0, a.dtype());
        GradVar constant = g.call("LogicalAnd", {g.call("Equal", {a, none}),
                                                 g.call("Equal", {b, none})});
        GradVar base = g.call("Select", {constant, g.scalar(1, a.dtype()), a});
        GradVar power = g.call("Pow", {base, b - 1.0});
        g.set_dx(0, g.times_dy(g.call("MulNoNan", {b, power})));
      }
      if (g.wants(1)) {
        // Powers of negative numbers exist for whole b alone: none to move to.
        GradVar zero = g.scalar(0, a.dtype());
        GradVar positive = g.call("Greater", {a, zero});
        GradVar log = g.call("Log", {a});
        g.set_dx(1,
                 g.times_dy(g.out() * g.call("Select", {positive, log, zero})));
      }
    })
    .elementwise(binary_block<PowFn, FloatTypes>)
    .cpu(checked_int_kernel<PowInt>)
    .simplify("x ^ 2 = Square(x)",
              [](SimplifyContext& s) {
                return s.is(s.in(1), 2) && s.keeps_shape(s.in(0), s.in(1)) &&
                       s.becomes("Square", {s.in(0)});
              })
    .max_ulp(2)
    .reference([](double a, double b) { return std::pow(a, b); })
    .samples(Samples())
    .rejects(Rejects());
SL_FACE(Pow).method();
SL_AUTOCAST(Pow, kF32);

}  // namespace sluice
