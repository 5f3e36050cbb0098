// Softmax and LogSoftmax.
#include "sluice/kernels/cpu/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sluice/kernels/reference.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/decompose_context.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/family.h"

namespace sluice {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <bool kLog>
std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  const RefArray& x = in[0];
  int axis = ref::Axis(attrs.get<int64_t>("axis"), x.shape.rank());
  auto a = static_cast<size_t>(axis);
  return {ref::Build(x.shape, [&](Ints index) {
    double v = ref::At(x, index), max = v, sum = 0;
    for (int64_t i = 0; i < x.shape.dim(axis); ++i) {
      index[a] = i;
      max = std::max(max, ref::At(x, index));
    }
    for (int64_t i = 0; i < x.shape.dim(axis); ++i) {
      index[a] = i;
      sum += std::exp(ref::At(x, index) - max);
    }
    return kLog ? v - max - std::log(sum) : std::exp(v - max) / sum;
  })};
}

OpDefinition& Normalised(OpDefinition&& op, std::string_view name) {
  return op.input("x: T")
      .output("y: T")
      .types("T", kFloats)
      .shape(softmax_shape)
      .batch(batch_rules::along_axis)
      .in_place()
      .fuse_input()
      .fuse_output()
      .fails_for_sizes_only()
      .tolerance(2e-6)
      .samples(
          {{.in = {{4}}},
           {.in = {{3, 5}}},
           {.in = {{3, 5}}, .attrs = {{"axis", 0}}},
           {.in = {{2, 3, 70}},
            .attrs = {{"axis", 1}},
            .only = {DType::kF32, DType::kF16}},
           {.in = {{2, 201}}, .lo = -20, .hi = 20},
           {.in = {Array::Vector<float>({1000, 999, -1000})}},
           {.in = {{37, 10}}},
           {.in = {{40, 33}}, .lo = -50, .hi = 50},
           {.in = {{33, 1000}}, .only = {DType::kF32, DType::kBF16}},
           {.in = {{300, 130}},
            .attrs = {{"axis", 0}},
            .only = {DType::kF32, DType::kF16}},
           {.in = {Array::Of<float>({4, 3}, {kInf, 0, 1, -kInf, -kInf, -kInf,
                                             kNan, 0, 1, -kInf, 3, 2})}},
           {.in = {{3, 0}}},
           {.in = {{0, 3}}}})
      .rejects({{.in = {Shape()},
                 .message =
                     StrCat("[", name, "] x is f32[]; wanted rank 1 or more")},
                {.in = {{2}},
                 .attrs = {{"axis", 1}},
                 .message = StrCat(
                     "[", name,
                     "] axis 1 is out of range; wanted -1 <= axis < 1")}});
}

}  // namespace

SL_OP_OF(Softmax, Normalised)
    .doc("exp(x) scaled so that it sums to 1 along an axis.")
    .attr("axis", -1, "The axis to sum over.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("SoftmaxGrad", {g.dy(), g.out()}, g.attrs()));
    })
    .decompose([](DecomposeContext& d) {
      Attrs along{{"axes", std::vector<int64_t>{d.attr<int64_t>("axis")}},
                  {"keep_dims", true}};
      // Any shift near the maximum works, because it cancels. The maximum of no
      // elements does not exist.
      RuleVar x = d.in(0);
      RuleVar powers = d.call("Exp", {x - d.call("LogSumExp", {x}, along)});
      d.set(powers / d.call("Sum", {powers}, along));
    })
    .cpu(softmax_kernel)
    .reference(Reference<false>);
SL_AUTOCAST(Softmax, kF32);

SL_OP_OF(LogSoftmax, Normalised)
    .doc("log(softmax(x)) along an axis, without losing small probabilities.")
    .attr("axis", -1, "The axis to normalise.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("LogSoftmaxGrad", {g.dy(), g.out()}, g.attrs()));
    })
    .decompose([](DecomposeContext& d) {
      Attrs along{{"axes", std::vector<int64_t>{d.attr<int64_t>("axis")}},
                  {"keep_dims", true}};
      // Shifted twice: the first is rounded as large elements are.
      RuleVar x = d.in(0);
      RuleVar below = x - d.call("LogSumExp", {x}, along);
      RuleVar sum = d.call("Sum", {d.call("Exp", {below})}, along);
      d.set(below - d.call("Log", {sum}));
    })
    .cpu(log_softmax_kernel)
    .reference(Reference<true>);
SL_AUTOCAST(LogSoftmax, kF32);

}  // namespace sluice
