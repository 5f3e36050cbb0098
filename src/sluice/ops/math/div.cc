#include <cmath>

#include "sluice/kernels/cpu/checked_binary.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/grad_context.h"
#include "sluice/op/simplify_context.h"
#include "sluice/ops/complex_grad.h"

namespace sluice {
namespace {

complex64 AsComplex(double re, double im) {
  return {static_cast<float>(re), static_cast<float>(im)};
}

// Division by a number whose square cannot be used: by 0 gives infinities with
// the signs of a, by an infinite one the quotient of the parts.
complex64 DivByExtreme(double ar, double ai, double br, double bi) {
  if (br == 0 && bi == 0) return AsComplex(ar / 0.0, ai / 0.0);
  if (std::fabs(br) >= std::fabs(bi)) {
    double part = bi / br, scale = 1 / (br + bi * part);
    return AsComplex((ar + ai * part) * scale, (ai - ar * part) * scale);
  }
  double part = br / bi, scale = 1 / (br * part + bi);
  return AsComplex((ar * part + ai) * scale, (ai * part - ar) * scale);
}

struct DivFn {
  template <class C>
  static C Apply(C a, C b) {
    if constexpr (std::is_same_v<C, complex64>) {
      // In double, in which squares of floats neither overflow nor underflow.
      double ar = a.real(), ai = a.imag(), br = b.real(), bi = b.imag();
      double d = br * br + bi * bi;
      if (d == 0 || std::isinf(d)) return DivByExtreme(ar, ai, br, bi);
      return {static_cast<float>((ar * br + ai * bi) / d),
              static_cast<float>((ai * br - ar * bi) / d)};
    } else {
      return a / b;
    }
  }
};

struct DivInt {
  static constexpr const char* kError = "integer division by zero";
  template <class C>
  static bool Valid(C, C b) {
    return b != 0;
  }
  template <class C>
  static C Apply(C a, C b) {
    // The smallest number over -1 does not fit; negation wraps instead.
    if (std::is_signed_v<C> && b == C(-1)) return Wrap<C>(0 - ToWrap(a));
    return static_cast<C>(a / b);
  }
};

std::vector<Sample> Samples() {
  std::vector<Sample> samples = BinarySamples();
  for (Sample& s : samples) s.only = kFloats;
  for (Sample s : BinarySamples(1, 9, false)) {
    s.only = kNumbers;
    samples.push_back(s);
  }
  samples.push_back({.in = {Array::Vector<int32_t>({7, -7, 7, -7, 0}),
                            Array::Vector<int32_t>({2, 2, -2, -2, -1})}});
  return samples;
}

std::vector<Reject> Rejects() {
  std::vector<Reject> rejects = BinaryRejects("Div");
  rejects.push_back(
      {.in = {Array::Vector<int32_t>({1, 2}), Array::Vector<int32_t>({1, 0})},
       .message = "[Div] integer division by zero"});
  return rejects;
}

}  // namespace

SL_OP(Div)
    .doc(
        "a / b, elementwise with broadcasting. Integers round toward zero, and "
        "dividing one by zero is an error.")
    .input("a: T")
    .input("b: T")
    .output("y: T")
    .types("T", kNumbers)
    .grad([](GradContext& g) {
      GradVar part = g.times_dy(1.0 / Conjugate(g, g.in(1)));
      g.set_dx(0, part);
      if (!g.wants(1)) return;
      bool real = g.out().dtype() != DType::kC64;
      g.set_dx(1, real ? -g.call("MulNoNan", {part, g.out()})
                       : -(part * Conjugate(g, g.out())));
    })
    .elementwise(
        binary_block<DivFn, Types<float, double, f16, bf16, complex64>>)
    .cpu(checked_int_kernel<DivInt>)
    .simplify("x / 1 = x",
              [](SimplifyContext& s) { return DropNeutralRight(s, 1); })
    .role(Role::kDiv)
    .linear(Linear::kInFirst)
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      bool whole = IsInteger(in[0].dtype);
      return std::vector<RefArray>{
          ref::Map(in, [whole](const std::vector<double>& v) {
            return whole ? std::trunc(v[0] / v[1]) : v[0] / v[1];
          })};
    })
    .samples(Samples())
    .rejects(Rejects());

}  // namespace sluice
