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

}  // namespace

SL_OP(Elu)
    .doc("x where positive, else alpha (exp(x) - 1), elementwise.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
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
                       {{"alpha", 0.5}}))
    .rejects(UnaryRejects("Elu"));

}  // namespace sluice
