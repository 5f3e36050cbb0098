#include "sluice/ops/elementwise.h"
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

struct HardShrinkFn : OneNumber {
  static constexpr const char* kAttrs[] = {"lambd"};
  template <class C>
  static C Apply(C x, C lambd) {
    return x >= -lambd && x <= lambd ? C(0) : x;
  }
};

struct ShrinkGradFn : OneNumber {
  static constexpr const char* kAttrs[] = {"lambd"};
  template <class C>
  static C Apply(C dy, C x, C lambd) {
    return x >= -lambd && x <= lambd ? C(0) : dy;
  }
};

}  // namespace

SL_OP_OF(SoftShrink, FloatFunction)
    .doc("x moved towards 0 by lambd, 0 where |x| <= lambd, elementwise.")
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
                       {{"lambd", 1.5}}));

SL_OP_OF(HardShrink, FloatFunction)
    .doc("x where |x| > lambd, else 0, elementwise; NaN stays NaN.")
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
                       {{"lambd", 1.5}}));

SL_OP_OF(ShrinkGrad, ActivationGrad)
    .doc(
        "The gradient of y = soft_shrink(x) or hard_shrink(x): dy where |x| > "
        "lambd, else 0.")
    .attr("lambd", 0.5, "How far from 0 results begin.")
    // f is straight but for its bends
    .grad(SetGradByDy)
    .elementwise(
        with_numbers<binary_block<ShrinkGradFn, FloatTypes>, ShrinkGradFn>)
    .reference(Formula([](const std::vector<double>& v, const Attrs& attrs) {
      double l = attrs.get<double>("lambd");
      return std::fabs(v[1]) <= l ? 0.0 : v[0];
    }))
    .samples(BinarySamples(-5, 5, /*specials=*/false) +
             WithAttrs(BinarySamples(-5, 5, /*specials=*/false),
                       {{"lambd", 1.5}}));

}  // namespace sluice
