#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct HardShrinkFn : OneNumber {
  static constexpr const char* kAttrs[] = {"lambd"};
  template <class C>
  static C Apply(C x, C lambd) {
    return x >= -lambd && x <= lambd ? C(0) : x;
  }
};

}  // namespace

SL_OP(HardShrink)
    .doc("x where |x| > lambd, else 0, elementwise; NaN stays NaN.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .attr("lambd", 0.5, "How far from 0 results begin.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("ShrinkGrad", {g.dy(), g.out()}, g.attrs()));
    })
    .elementwise(with_numbers<unary_block<HardShrinkFn>, HardShrinkFn>)
    .reference(Formula([](const std::vector<double>& v, const Attrs& attrs) {
      double x = v[0], l = attrs.get<double>("lambd");
      return x >= -l && x <= l ? 0.0 : x;
    }))
    .samples(UnarySamples(-5, 5) +
             WithAttrs(UnarySamples(-5, 5, /*specials=*/false),
                       {{"lambd", 1.5}}))
    .rejects(UnaryRejects("HardShrink"));

}  // namespace sluice
