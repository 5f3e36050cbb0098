#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct SoftShrinkFn : OneNumber {
  static constexpr const char* kAttrs[] = {"lambd"};
  template <class C>
  static C Apply(C x, C lambd) {
    C y = x > lambd ? x - lambd : C(0);
    y = x < -lambd ? x + lambd : y;
    return x != x ? x : y;
  }
};

}  // namespace

SL_OP(SoftShrink)
    .doc("x moved towards 0 by lambd, 0 where |x| <= lambd, elementwise.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .attr("lambd", 0.5, "How far from 0 results begin.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("ShrinkGrad", {g.dy(), g.in(0)}, g.attrs()));
    })
    .elementwise(with_numbers<unary_block<SoftShrinkFn>, SoftShrinkFn>)
    .tolerance(2e-07)
    .reference(Formula([](const std::vector<double>& v, const Attrs& attrs) {
      double x = v[0], l = attrs.get<double>("lambd");
      return x > l ? x - l : x < -l ? x + l : x != x ? x : 0.0;
    }))
    .samples(UnarySamples(-5, 5) +
             WithAttrs(UnarySamples(-5, 5, /*specials=*/false),
                       {{"lambd", 1.5}}))
    .rejects(UnaryRejects("SoftShrink"));

}  // namespace sluice
