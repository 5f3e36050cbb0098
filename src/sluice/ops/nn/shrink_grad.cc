#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct ShrinkGradFn : OneNumber {
  static constexpr const char* kAttrs[] = {"lambd"};
  template <class C>
  static C Apply(C dy, C x, C lambd) {
    return x >= -lambd && x <= lambd ? C(0) : dy;
  }
};

}  // namespace

SL_OP(ShrinkGrad)
    .doc(
        "The gradient of y = soft_shrink(x) or hard_shrink(x): dy where |x| > "
        "lambd, else 0.")
    .input("dy: T")
    .input("x: T")
    .output("dx: T")
    .types("T", kFloats)
    .attr("lambd", 0.5, "How far from 0 results begin.")
    .grad(SetGradByDy)  // f is straight but for its bends
    .elementwise(
        with_numbers<binary_block<ShrinkGradFn, FloatTypes>, ShrinkGradFn>)
    .internal()
    .reference(Formula([](const std::vector<double>& v, const Attrs& attrs) {
      double l = attrs.get<double>("lambd");
      return std::fabs(v[1]) <= l ? 0.0 : v[0];
    }))
    .samples(BinarySamples(-5, 5, /*specials=*/false) +
             WithAttrs(BinarySamples(-5, 5, /*specials=*/false),
                       {{"lambd", 1.5}}))
    .rejects(GradRejects("ShrinkGrad"));

}  // namespace sluice
