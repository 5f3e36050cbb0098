#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct HardTanhFn : TwoNumbers {
  static constexpr const char* kAttrs[] = {"min", "max"};
  template <class C>
  static C Apply(C x, const Numbers<C>& n) {
    C y = x < n.a ? n.a : x;
    return y > n.b ? n.b : y;
  }
};

struct HardTanhGradFn : TwoNumbers {
  static constexpr const char* kAttrs[] = {"min", "max"};
  template <class C>
  static C Apply(C dy, C x, const Numbers<C>& n) {
    return x > n.a && x < n.b ? dy : C(0);
  }
};

Status Infer(ShapeContext& c) {
  if (!(c.attr<double>("min") <= c.attr<double>("max"))) {
    return c.Error(StrCat("min is ", c.attr<double>("min"), ", max is ",
                          c.attr<double>("max"), "; wanted min <= max"));
  }
  return shapes::broadcast(c);
}

}  // namespace

SL_OP(HardTanh)
    .doc("x held between min and max, elementwise; NaN stays NaN.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .attr("min", -1.0, "The smallest result.")
    .attr("max", 1.0, "The largest result.")
    .shape(Infer)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("HardTanhGrad", {g.dy(), g.out()}, g.attrs()));
    })
    .elementwise(with_numbers<unary_block<HardTanhFn>, HardTanhFn>)
    .reference(Formula([](const std::vector<double>& v, const Attrs& attrs) {
      double lo = attrs.get<double>("min"), hi = attrs.get<double>("max");
      return v[0] < lo ? lo : v[0] > hi ? hi : v[0];
    }))
    .samples(UnarySamples(-5, 5) +
             WithAttrs(UnarySamples(-5, 5, /*specials=*/false),
                       {{"min", -0.5}, {"max", 2.0}}))
    .rejects(
        UnaryRejects("HardTanh") +
        std::vector<Reject>{
            {.in = {{2}},
             .attrs = {{"min", 2.0}},
             .message = "[HardTanh] min is 2, max is 1; wanted min <= max"}});

SL_OP(HardTanhGrad)
    .doc("The gradient of y = hard_tanh(x): dy where min < x < max, else 0.")
    .input("dy: T")
    .input("x: T")
    .output("dx: T")
    .types("T", kFloats)
    .attr("min", -1.0, "The smallest result.")
    .attr("max", 1.0, "The largest result.")
    .shape(Infer)
    .grad(SetGradByDy)  // f is straight but for its bends
    .elementwise(
        with_numbers<binary_block<HardTanhGradFn, FloatTypes>, HardTanhGradFn>)
    .internal()
    .reference(Formula([](const std::vector<double>& v, const Attrs& attrs) {
      double lo = attrs.get<double>("min"), hi = attrs.get<double>("max");
      return v[1] > lo && v[1] < hi ? v[0] : 0.0;
    }))
    .samples(BinarySamples(-5, 5, /*specials=*/false) +
             WithAttrs(BinarySamples(-5, 5, /*specials=*/false),
                       {{"min", -0.5}, {"max", 2.0}}))
    .rejects(GradRejects("HardTanhGrad") +
             std::vector<Reject>{
                 {.in = {{2}, {2}},
                  .attrs = {{"min", 2.0}},
                  .message =
                      "[HardTanhGrad] min is 2, max is 1; wanted min <= max"}});

}  // namespace sluice
