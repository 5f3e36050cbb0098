#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct EluGradFn : OneNumber {
  static constexpr const char* kAttrs[] = {"alpha"};
  template <class C>
  static C Apply(C dy, C x, C alpha) {
    return x > 0 ? dy : dy * alpha * vmath::Exp(x);
  }
};

}  // namespace

SL_OP(EluGrad)
    .doc(
        "The gradient of y = elu(x): dy where x is positive, else dy alpha "
        "exp(x).")
    .input("dy: T")
    .input("x: T")
    .output("dx: T")
    .types("T", kFloats)
    .attr("alpha", 1.0, "The scale of negative inputs.")
    .grad([](GradContext& g) {
      SetGradByDy(g);
      if (!g.wants(1)) return;
      GradVar slope = g.call("EluGrad", {g.dy() * g.in(0), g.in(1)}, g.attrs());
      g.set_dx(1, WhereNotPositive(g, slope));
    })
    .elementwise(with_numbers<binary_block<EluGradFn, FloatTypes>, EluGradFn>)
    .internal()
    .max_ulp(4)
    .reference(Formula([](const std::vector<double>& v, const Attrs& attrs) {
      double alpha = attrs.get<double>("alpha");
      return v[1] > 0 ? v[0] : v[0] * alpha * std::exp(v[1]);
    }))
    .samples(BinarySamples(-5, 5, /*specials=*/false) +
             WithAttrs(BinarySamples(-5, 5, /*specials=*/false),
                       {{"alpha", 0.5}}))
    .rejects(GradRejects("EluGrad"));

}  // namespace sluice
