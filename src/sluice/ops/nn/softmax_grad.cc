#include <cmath>

#include "sluice/kernels/cpu/softmax.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  const RefArray &dy = in[0], &y = in[1];
  int axis = ref::Axis(attrs.get<int64_t>("axis"), y.shape.rank());
  return {ref::Build(y.shape, [&](const Ints& index) {
    double sum = 0;
    Ints at = index;
    for (int64_t i = 0; i < y.shape.dim(axis); ++i) {
      at[static_cast<size_t>(axis)] = i;
      sum += ref::At(dy, at) * ref::At(y, at);
    }
    return ref::At(y, index) * (ref::At(dy, index) - sum);
  })};
}

}  // namespace

SL_OP(SoftmaxGrad)
    .doc("The gradient of y = softmax(x): y (dy - sum(dy y)).")
    .input("dy: T")
    .input("y: T")
    .output("dx: T")
    .types("T", kFloats)
    .attr("axis", -1, "The axis softmax was taken along.")
    .shape(softmax_shape)
    .grad([](GradContext& g) {
      GradVar u = g.dy(), y = g.in(1);
      if (g.wants(0)) g.set_dx(0, g.call("SoftmaxGrad", {u, y}, g.attrs()));
      if (!g.wants(1)) return;
      Attrs along = {{"axes", Ints{g.attr<int64_t>("axis")}},
                     {"keep_dims", true}};
      GradVar dot = g.call("Sum", {g.in(0) * y}, along);
      GradVar up = g.call("Sum", {u * y}, along);
      g.set_dx(1, u * (g.in(0) - dot) - g.in(0) * up);
    })
    .batch(batch_rules::along_axis)
    .cpu(softmax_grad_kernel)
    .in_place()
    .fuse_input()
    .fuse_output()
    .internal()
    .tolerance(4e-6)
    .reference(Reference)
    .samples({{.in = {{4}, {4}}},
              {.in = {{3, 5}, {3, 5}}, .attrs = {{"axis", 0}}},
              {.in = {{2, 3, 70}, {2, 3, 70}},
               .attrs = {{"axis", 1}},
               .lo = -1,
               .hi = 0,
               .only = {DType::kF32, DType::kF16}},
              {.in = {{33, 1000}, {33, 1000}},
               .lo = -1,
               .hi = 0,
               .only = {DType::kF32}},
              {.in = {{3, 0}, {3, 0}}},
              {.in = {{0, 3}, {0, 3}}}})
    .rejects(
        {{.in = {Shape(), Shape()},
          .message = "[SoftmaxGrad] dy is f32[]; wanted rank 1 or more"},
         {.in = {{2}, {3}},
          .message =
              "[SoftmaxGrad] shapes differ: dy is f32[2], y is f32[3]; wanted "
              "equal shapes"},
         {.in = {{2}, {2}},
          .attrs = {{"axis", 1}},
          .message =
              "[SoftmaxGrad] axis 1 is out of range; wanted -1 <= axis < 1"},
         {.in = {{2}, Array::Zeros(DType::kF64, {2})},
          .message = "[SoftmaxGrad] y is f64; wanted f32 as dy"}});

}  // namespace sluice
