#include "sluice/ops/elementwise.h"
#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct LeakyReluFn : OneNumber {
  static constexpr const char* kAttrs[] = {"alpha"};
  template <class C>
  static C Apply(C x, C alpha) {
    return x < 0 ? alpha * x : x;
  }
};

struct LeakyReluGradFn : OneNumber {
  static constexpr const char* kAttrs[] = {"alpha"};
  template <class C>
  static C Apply(C dy, C x, C alpha) {
    return x > 0 ? dy : alpha * dy;
  }
};

}  // namespace

SL_OP_OF(LeakyRelu, FloatFunction)
    .doc("x where positive, else alpha x, elementwise.")
    .attr("alpha", 0.01, "The slope for negative inputs.")
    .grad([](GradContext& g) {
      // y has x's sign unless the slope is negative.
      GradVar side = g.attr<double>("alpha") < 0 ? g.in(0) : g.out();
      g.set_dx(0, g.call("LeakyReluGrad", {g.dy(), side}, g.attrs()));
    })
    .elementwise(with_numbers<unary_block<LeakyReluFn>, LeakyReluFn>)
    .max_ulp(1)
    .reference(Formula([](const std::vector<double>& v, const Attrs& attrs) {
      return v[0] < 0 ? attrs.get<double>("alpha") * v[0] : v[0];
    }))
    .samples(UnarySamples(-5, 5) +
             WithAttrs(UnarySamples(-5, 5, /*specials=*/false),
                       {{"alpha", 0.25}}) +
             WithAttrs({{.in = {{9}}}}, {{"alpha", -0.5}}));

SL_OP_OF(LeakyReluGrad, ActivationGrad)
    .doc(
        "The gradient of y = leaky_relu(x): dy where x is positive, else alpha "
        "dy.")
    .attr("alpha", 0.01, "The slope for negative inputs.")
    // f is straight but for its bends
    .grad(SetGradByDy)
    .elementwise(with_numbers<binary_block<LeakyReluGradFn, FloatTypes>,
                              LeakyReluGradFn>)
    .max_ulp(1)
    .reference(Formula([](const std::vector<double>& v, const Attrs& attrs) {
      return v[1] > 0 ? v[0] : attrs.get<double>("alpha") * v[0];
    }))
    .samples(BinarySamples(-5, 5, /*specials=*/false) +
             WithAttrs(BinarySamples(-5, 5, /*specials=*/false),
                       {{"alpha", 0.25}}));

}  // namespace sluice
