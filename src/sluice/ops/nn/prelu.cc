#include "sluice/ops/elementwise.h"
#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct PreluFn {
  template <class C>
  static C Apply(C a, C b) {
    return a < 0 ? b * a : a;
  }
};

struct PreluGradFn {
  template <class C>
  static C Apply(C dy, C a, C b) {
    return a < 0 ? b * dy : dy;
  }
};

}  // namespace

SL_OP_OF(Prelu, BinaryFunction)
    .doc(
        "a where positive, else b a, elementwise: relu with slopes that can be "
        "learnt. The slopes b broadcast; one per channel of images is of "
        "shape [channels,1,1].")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      if (g.wants(0)) {
        g.set_dx(0, g.call("PreluGrad", {g.dy(), g.in(0), g.in(1)}));
      }
      if (!g.wants(1)) return;
      GradVar zero = g.scalar(0, g.dy().dtype());
      GradVar negative = g.call("Less", {g.in(0), zero});
      g.set_dx(1, g.call("Select", {negative, g.dy() * g.in(0), zero}));
    })
    .elementwise(binary_block<PreluFn, FloatTypes>)
    .max_ulp(1)
    .reference([](double a, double b) { return a < 0 ? b * a : a; })
    .samples(BinarySamples());

SL_OP(PreluGrad)
    .doc(
        "The gradient of y = prelu(a, b) by a: dy where a is positive, else b "
        "dy. (By b it is the sum of dy min(a, 0).)")
    .input("dy: T")
    .input("a: T")
    .input("b: T")
    .output("da: T")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      if (g.wants(0)) {
        g.set_dx(0, g.call("PreluGrad", {g.dy(), g.in(1), g.in(2)}));
      }
      if (!g.wants(2)) return;
      GradVar zero = g.scalar(0, g.dy().dtype());
      GradVar negative = g.call("Less", {g.in(1), zero});
      g.set_dx(2, g.call("Select", {negative, g.dy() * g.in(0), zero}));
    })
    .elementwise(ternary_block<PreluGradFn>)
    .internal()
    .max_ulp(1)
    .reference(Formula([](const std::vector<double>& v, const Attrs&) {
      return v[1] < 0 ? v[2] * v[0] : v[0];
    }))
    .samples({{.in = {{4}, {4}, {4}}},
              {.in = {{2, 3, 5}, {2, 3, 5}, {3, 1}}},
              {.in = {{67}, {67}, Shape()}},
              {.in = {{1031}, {1031}, {1}}, .only = {DType::kF32}},
              {.in = {{0, 2}, {0, 2}, {2}}}})
    .rejects({{.in = {{2}, {3}, {1}},
               .message = "[PreluGrad] shapes do not broadcast: dy is f32[2], "
                          "a is f32[3]"}});

}  // namespace sluice
