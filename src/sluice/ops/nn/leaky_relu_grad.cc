#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct LeakyReluGradFn : OneNumber {
  static constexpr const char* kAttrs[] = {"alpha"};
  template <class C>
  static C Apply(C dy, C x, C alpha) {
    return x > 0 ? dy : alpha * dy;
  }
};

}  // namespace

SL_OP(LeakyReluGrad)
    .doc(
        "The gradient of y = leaky_relu(x): dy where x is positive, else alpha "
        "dy.")
    .input("dy: T")
    .input("x: T")
    .output("dx: T")
    .types("T", kFloats)
    .attr("alpha", 0.01, "The slope for negative inputs.")
    .grad(SetGradByDy)  // f is straight but for its bends
    .elementwise(with_numbers<binary_block<LeakyReluGradFn, FloatTypes>,
                              LeakyReluGradFn>)
    .internal()
    .max_ulp(1)
    .reference(Formula([](const std::vector<double>& v, const Attrs& attrs) {
      return v[1] > 0 ? v[0] : attrs.get<double>("alpha") * v[0];
    }))
    .samples(BinarySamples(-5, 5, /*specials=*/false) +
             WithAttrs(BinarySamples(-5, 5, /*specials=*/false),
                       {{"alpha", 0.25}}))
    .rejects(GradRejects("LeakyReluGrad"));

}  // namespace sluice
