#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct ThresholdFn : TwoNumbers {
  static constexpr const char* kAttrs[] = {"threshold", "value"};
  template <class C>
  static C Apply(C x, const Numbers<C>& n) {
    return x <= n.a ? n.b : x;
  }
};

struct ThresholdGradFn : OneNumber {
  static constexpr const char* kAttrs[] = {"threshold"};
  template <class C>
  static C Apply(C dy, C x, C threshold) {
    return x > threshold ? dy : C(0);
  }
};

}  // namespace

SL_OP(Threshold)
    .doc(
        "x where it exceeds threshold, else value, elementwise; NaN stays NaN.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .attr("threshold", AttrKind::kFloat, "What x must exceed.")
    .attr("value", AttrKind::kFloat, "The result elsewhere.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("ThresholdGrad", {g.dy(), g.in(0)},
                         {{"threshold", g.attr<double>("threshold")}}));
    })
    .elementwise(with_numbers<unary_block<ThresholdFn>, ThresholdFn>)
    .reference(Formula([](const std::vector<double>& v, const Attrs& attrs) {
      double at = attrs.get<double>("threshold");
      return v[0] <= at ? attrs.get<double>("value") : v[0];
    }))
    .samples(WithAttrs(UnarySamples(-5, 5),
                       {{"threshold", 1.0}, {"value", -3.0}}));

SL_OP_OF(ThresholdGrad, ActivationGrad)
    .doc(
        "The gradient of y = threshold(x): dy where x exceeds threshold, else "
        "0.")
    .attr("threshold", 0.0, "What x must exceed.")
    // f is straight but for its bends
    .grad(SetGradByDy)
    .elementwise(with_numbers<binary_block<ThresholdGradFn, FloatTypes>,
                              ThresholdGradFn>)
    .reference(Formula([](const std::vector<double>& v, const Attrs& attrs) {
      return v[1] > attrs.get<double>("threshold") ? v[0] : 0.0;
    }))
    .samples(BinarySamples(-5, 5, /*specials=*/false) +
             WithAttrs(BinarySamples(-5, 5, /*specials=*/false),
                       {{"threshold", 1.5}}));

}  // namespace sluice
