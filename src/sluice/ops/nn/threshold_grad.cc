#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct ThresholdGradFn : OneNumber {
  static constexpr const char* kAttrs[] = {"threshold"};
  template <class C>
  static C Apply(C dy, C x, C threshold) {
    return x > threshold ? dy : C(0);
  }
};

}  // namespace

SL_OP(ThresholdGrad)
    .doc(
        "The gradient of y = threshold(x): dy where x exceeds threshold, else "
        "0.")
    .input("dy: T")
    .input("x: T")
    .output("dx: T")
    .types("T", kFloats)
    .attr("threshold", 0.0, "What x must exceed.")
    .grad(SetGradByDy)  // f is straight but for its bends
    .elementwise(with_numbers<binary_block<ThresholdGradFn, FloatTypes>,
                              ThresholdGradFn>)
    .internal()
    .reference(Formula([](const std::vector<double>& v, const Attrs& attrs) {
      return v[1] > attrs.get<double>("threshold") ? v[0] : 0.0;
    }))
    .samples(BinarySamples(-5, 5, /*specials=*/false) +
             WithAttrs(BinarySamples(-5, 5, /*specials=*/false),
                       {{"threshold", 1.5}}))
    .rejects(GradRejects("ThresholdGrad"));

}  // namespace sluice
