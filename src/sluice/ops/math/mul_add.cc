#include "sluice/kernels/cpu/mul_add.h"

#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

struct MulAddFn {
  template <class C>
  static C Apply(C a, C b, C c) {
    return MulAdd(a, b, c);
  }
};

}  // namespace

SL_OP(MulAdd)
    .doc("a b + c, rounded once; elementwise with broadcasting.")
    .input("a: T")
    .input("b: T")
    .input("c: T")
    .output("y: T")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      if (g.wants(0)) g.set_dx(0, g.dy() * g.in(1));
      if (g.wants(1)) g.set_dx(1, g.dy() * g.in(0));
      g.set_dx(2, g.dy());
    })
    .elementwise(ternary_block<MulAddFn>)
    .max_ulp(1)
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return std::vector<RefArray>{
          ref::Map(in, [](const std::vector<double>& v) {
            return std::fma(v[0], v[1], v[2]);
          })};
    })
    .samples({{.in = {{4}, {4}, {4}}},
              {.in = {Shape(), {2, 3}, {3}}},
              {.in = {{2, 1}, {3}, Shape()}},
              {.in = {{2, 3}, Shape(), {2, 3}}},
              {.in = {{0, 3}, {3}, {1, 1}}},
              {.in = {{1031}, {1031}, {1031}}}
              // Digits that two roundings would lose.
              ,
              {.in = {Array::Vector<float>({1.0f + 0x1p-12f}),
                      Array::Vector<float>({1.0f - 0x1p-12f}),
                      Array::Vector<float>({-1.0f})}}})
    .rejects({{.in = {{2}, {2}, {3}},
               .message = "[MulAdd] shapes do not broadcast: a is f32[2], b is "
                          "f32[2], c is f32[3]"}});

}  // namespace sluice
