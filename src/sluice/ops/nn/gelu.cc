#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct GeluFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Gelu(x);
  }
  static constexpr uint32_t kNear = vmath::kGeluNear;
  static uint32_t Distance(float x) { return vmath::Distance(x); }
  template <class F>
  static F Near(F x) {
    return vmath::GeluNear(x);
  }
  static constexpr int kWave = 4;
};

struct GeluTanhFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::GeluTanh(x);
  }
};

BlockKernel Pick(const Attrs& attrs, std::span<const DType> in, DType out) {
  return attrs.get<std::string>("approximate") == "tanh"
             ? long_block<GeluTanhFn>(attrs, in, out)
             : long_block<GeluFn>(attrs, in, out);
}

double Exact(double x) {
  return x < -40 ? 0 : x * 0.5 * std::erfc(-x * std::sqrt(0.5));
}

double Approximate(double x) {
  double inner = std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
  return x < -40 ? 0 : x / (1 + std::exp(-2 * inner));
}

// Beyond this the slope is 0 or 1, and x times a vanishing number stays 0.
template <class C>
C Near(C x) {
  C c = x > 40 ? C(40) : x;
  return c < -40 ? C(-40) : c;
}

struct GeluGradFn {
  template <class C>
  static C Apply(C dy, C x) {
    C c = Near(x);
    C density = C(0.39894228040143267794) * vmath::Exp(C(-0.5) * c * c);
    C below = C(0.5) * vmath::Erfc(C(-0.70710678118654752440) * c);
    return dy * MulAdd(c, density, below);
  }
};

struct GeluTanhGradFn {
  template <class C>
  static C Apply(C dy, C x) {
    // y = x s(v), v = x (k1 + k3 x^2): y' = s + x s (1 - s) (k1 + 3 k3 x^2).
    constexpr C k1 = C(1.59576912160573071176), k3 = C(0.07135481627260025);
    C c = Near(x), z = c * c;
    C s = vmath::Sigmoid(c * MulAdd(k3, z, k1));
    return dy * MulAdd(c * (s * (1 - s)), MulAdd(3 * k3, z, k1), s);
  }
};

BlockKernel GeluGradPick(const Attrs& attrs, std::span<const DType> in,
                         DType out) {
  return attrs.get<std::string>("approximate") == "tanh"
             ? binary_block<GeluTanhGradFn, FloatTypes>(attrs, in, out)
             : binary_block<GeluGradFn, FloatTypes>(attrs, in, out);
}

double GeluGradExact(double x) {
  return 0.5 * std::erfc(-x * std::sqrt(0.5)) +
         x * std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0));
}

double GeluGradApproximate(double x) {
  double k = std::sqrt(2 / std::acos(-1.0));
  double t = std::tanh(k * (x + 0.044715 * x * x * x));
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * k * (1 + 3 * 0.044715 * x * x);
}

// The second derivatives: (2 - x^2) times the normal density, and
// s (1 - s) (2 v' + x (v'' + (1 - 2 s) v'^2)) with y = x s(v) as above.
GradVar ExactBend(GradContext& g, GradVar x) {
  GradVar square = x * x;
  GradVar density = 0.39894228040143267794 * g.call("Exp", {square * -0.5});
  return density * (2.0 - square);
}

GradVar ApproximateBend(GradContext& g, GradVar x) {
  constexpr double k1 = 1.59576912160573071176, k3 = 0.07135481627260025;
  GradVar square = x * x;
  GradVar s = g.call("Sigmoid", {x * (k1 + k3 * square)});
  GradVar v1 = k1 + 3 * k3 * square, v2 = 6 * k3 * x;
  GradVar inner = 2.0 * v1 + x * (v2 + (1.0 - 2.0 * s) * v1 * v1);
  return g.call("SigmoidGrad", {inner, s});
}

}  // namespace

SL_OP(Gelu)
    .doc(
        "x times the normal distribution function at x, elementwise; or the "
        "usual approximation of it by tanh.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .attr("approximate", "none", "none, or tanh.")
    .one_of({"none", "tanh"})
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("GeluGrad", {g.dy(), g.in(0)}, g.attrs()));
    })
    .elementwise(Pick)
    .max_ulp(5)
    .tolerance(2e-7)
    .reference(Formula([](const std::vector<double>& v, const Attrs& attrs) {
      return attrs.get<std::string>("approximate") == "tanh" ? Approximate(v[0])
                                                             : Exact(v[0]);
    }))
    .samples(UnarySamples(-6, 6) +
             WithAttrs(UnarySamples(-6, 6), {{"approximate", "tanh"}}))
    .rejects(UnaryRejects("Gelu"));

SL_OP_OF(GeluGrad, ActivationGrad)
    .doc("The gradient of y = gelu(x).")
    .attr("approximate", "none", "none, or tanh.")
    .one_of({"none", "tanh"})
    .grad([](GradContext& g) {
      SetGradByDy(g);
      if (!g.wants(1)) return;
      // Beyond 40 the slope is constant, also at infinity.
      GradVar x =
          g.call("HardTanh", {g.in(1)}, {{"min", -40.0}, {"max", 40.0}});
      bool approximate = g.attr<std::string>("approximate") == "tanh";
      GradVar bend = approximate ? ApproximateBend(g, x) : ExactBend(g, x);
      g.set_dx(1, g.dy() * g.in(0) * bend);
    })
    .elementwise(GeluGradPick)
    .tolerance(1e-5)
    .reference(Formula([](const std::vector<double>& v, const Attrs& attrs) {
      return v[0] * (attrs.get<std::string>("approximate") == "tanh"
                         ? GeluGradApproximate(v[1])
                         : GeluGradExact(v[1]));
    }))
    .samples(BinarySamples(-6, 6, /*specials=*/false) +
             WithAttrs(BinarySamples(-6, 6, /*specials=*/false),
                       {{"approximate", "tanh"}}));

}  // namespace sluice
