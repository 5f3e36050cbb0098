// SoftmaxGrad and LogSoftmaxGrad.
#include <cmath>

#include "sluice/kernels/cpu/softmax.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/family.h"

namespace sluice {
namespace {

template <bool kLog>
std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  const RefArray &dy = in[0], &y = in[1];
  int axis = ref::Axis(attrs.get<int64_t>("axis"), y.shape.rank());
  return {ref::Build(y.shape, [&](const Ints& index) {
    double sum = 0;
    Ints at = index;
    for (int64_t i = 0; i < y.shape.dim(axis); ++i) {
      at[static_cast<size_t>(axis)] = i;
      sum += kLog ? ref::At(dy, at) : ref::At(dy, at) * ref::At(y, at);
    }
    double to = ref::At(dy, index), at_y = ref::At(y, index);
    return kLog ? to - std::exp(at_y) * sum : at_y * (to - sum);
  })};
}

OpDefinition& NormalisedGrad(OpDefinition&& op, std::string_view name) {
  return op.input("dy: T")
      .input("y: T")
      .output("dx: T")
      .types("T", kFloats)
      .shape(softmax_shape)
      .batch(batch_rules::along_axis)
      .in_place()
      .fuse_input()
      .fuse_output()
      .internal()
      .tolerance(4e-6)
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
      .rejects({{.in = {Shape(), Shape()},
                 .message =
                     StrCat("[", name, "] dy is f32[]; wanted rank 1 or more")},
                {.in = {{2}, {3}},
                 .message = StrCat(
                     "[", name,
                     "] shapes differ: dy is f32[2], y is f32[3]; wanted "
                     "equal shapes")},
                {.in = {{2}, {2}},
                 .attrs = {{"axis", 1}},
                 .message = StrCat(
                     "[", name,
                     "] axis 1 is out of range; wanted -1 <= axis < 1")}});
}

}  // namespace

SL_OP_OF(SoftmaxGrad, NormalisedGrad)
    .doc("The gradient of y = softmax(x): y (dy - sum(dy y)).")
    .attr("axis", -1, "The axis softmax was taken along.")
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
    .cpu(softmax_grad_kernel)
    .reference(Reference<false>);

SL_OP_OF(LogSoftmaxGrad, NormalisedGrad)
    .doc("The gradient of y = log_softmax(x): dy - exp(y) sum(dy).")
    .attr("axis", -1, "The axis log_softmax was taken along.")
    .grad([](GradContext& g) {
      Attrs along = {{"axes", Ints{g.attr<int64_t>("axis")}},
                     {"keep_dims", true}};
      GradVar u = g.dy(), part = u * g.call("Exp", {g.in(1)});
      if (g.wants(0)) g.set_dx(0, u - g.call("Sum", {part}, along));
      if (g.wants(1)) g.set_dx(1, -(part * g.call("Sum", {g.in(0)}, along)));
    })
    .cpu(log_softmax_grad_kernel)
    .reference(Reference<true>);

}  // namespace sluice
