#include "sluice/ops/elementwise.h"
#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct EluFn : OneNumber {
  static constexpr const char* kAttrs[] = {"alpha"};
  template <class C>
  static C Apply(C x, C alpha) {
    return x > 0 ? x : alpha * vmath::Expm1(x);
  }
};

struct EluGradFn : OneNumber {
  static constexpr const char* kAttrs[] = {"alpha"};
  template <class C>
  static C Apply(C dy, C x, C alpha) {
    return x > 0 ? dy : dy * alpha * vmath::Exp(x);
  }
};

}  // namespace

SL_OP_OF(Elu, FloatFunction)
    .doc("x where positive, else alpha (exp(x) - 1), elementwise.")
    .attr("alpha", 1.0, "The scale of negative inputs.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("EluGrad", {g.dy(), g.in(0)}, g.attrs()));
    })
    .elementwise(with_numbers<unary_block<EluFn>, EluFn>)
    .max_ulp(4)
    .reference(Formula([](const std::vector<double>& v, const Attrs& attrs) {
      double x = v[0];
      return x > 0 ? x : attrs.get<double>("alpha") * std::expm1(x);
    }))
    .samples(UnarySamples(-5, 5) +
             WithAttrs(UnarySamples(-5, 5, /*specials=*/false),
                       {{"alpha", 0.5}}));

SL_OP_OF(EluGrad, ActivationGrad)
    .doc(
        "The gradient of y = elu(x): dy where x is positive, else dy alpha "
        "exp(x).")
    .attr("alpha", 1.0, "The scale of negative inputs.")
    .grad([](GradContext& g) {
      SetGradByDy(g);
      if (!g.wants(1)) return;
      GradVar slope = g.call("EluGrad", {g.dy() * g.in(0), g.in(1)}, g.attrs());
      g.set_dx(1, WhereNotPositive(g, slope));
    })
    .elementwise(with_numbers<binary_block<EluGradFn, FloatTypes>, EluGradFn>)
    .max_ulp(4)
    .reference(Formula([](const std::vector<double>& v, const Attrs& attrs) {
      double alpha = attrs.get<double>("alpha");
      return v[1] > 0 ? v[0] : v[0] * alpha * std::exp(v[1]);
    }))
    .samples(BinarySamples(-5, 5, /*specials=*/false) +
             WithAttrs(BinarySamples(-5, 5, /*specials=*/false),
                       {{"alpha", 0.5}}));

}  // namespace sluice
