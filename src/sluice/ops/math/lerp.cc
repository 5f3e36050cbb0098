#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/mul_add.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

struct LerpFn {
  template <class C>
  static C Apply(C a, C b, C c) {
    // From the nearer end, so that w = 0 gives a and w = 1 gives b exactly.
    C d = b - a;
    return c < C(0.5) ? MulAdd(c, d, a) : MulAdd(c - C(1), d, b);
  }
};

}  // namespace

SL_OP(Lerp)
    .doc("a + w (b - a), elementwise with broadcasting.")
    .input("a: T")
    .input("b: T")
    .input("w: T")
    .output("y: T")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      GradVar a = g.in(0), b = g.in(1), w = g.in(2), dy = g.dy();
      if (g.wants(0)) g.set_dx(0, dy * (1.0 - w));
      if (g.wants(1)) g.set_dx(1, dy * w);
      if (g.wants(2)) g.set_dx(2, dy * (b - a));
    })
    .elementwise(ternary_block<LerpFn>)
    .max_ulp(2)
    .tolerance(1e-6)
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return std::vector<RefArray>{
          ref::Map(in, [](const std::vector<double>& v) {
            return v[0] + v[2] * (v[1] - v[0]);
          })};
    })
    .samples({{.in = {{4}, {4}, {4}}},
              {.in = {Shape(), {2, 3}, {3}}},
              {.in = {{2, 1}, {3}, Shape()}},
              {.in = {{2, 3}, Shape(), {2, 3}}},
              {.in = {{0, 3}, {3}, {1, 1}}},
              {.in = {{1031}, {1031}, {1031}}}})
    .rejects({{.in = {{2}, {2}, {3}},
               .message = "[Lerp] shapes do not broadcast: a is f32[2], b is "
                          "f32[2], w is f32[3]"}});
SL_FACE(Lerp).method();

}  // namespace sluice
