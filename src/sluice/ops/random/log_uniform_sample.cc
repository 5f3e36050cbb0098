#include "sluice/kernels/cpu/indices.h"
#include "sluice/kernels/cpu/log_uniform.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/ops/random/random_op.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

constexpr int64_t kMostSampled = 1 << 18;

Status Infer(ShapeContext& c) {
  int64_t count = c.attr<int64_t>("num_sampled");
  int64_t range = c.attr<int64_t>("range_max");
  if (c.attr<bool>("unique") && count > range) {
    return c.Error(StrCat("num_sampled is ", count, ", range_max is ", range,
                          "; wanted no more different classes than there are"));
  }
  const int64_t dims[] = {count};
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  c.set_out(1, c.in(0));
  c.set_out(2, out);
  return OkStatus();
}

LogUniformDraws DrawsOf(const Attrs& attrs) {
  return {attrs.get<int64_t>("range_max"), attrs.get<int64_t>("num_sampled"),
          attrs.get<bool>("unique")};
}

int64_t Workspace(const ShapeContext& c) {
  return DrawsOf(c.attrs()).ScratchBytes();
}

Status Launch(KernelContext& ctx) {
  const Array &labels = ctx.in(0), &sampled = ctx.out(0);
  LogUniformDraws draws = DrawsOf(ctx.attrs());
  SL_RETURN_IF_ERROR(CheckIndices(ctx, 0, draws.range));
  auto* ids = sampled.mutable_data<int64_t>();
  double took = draws.Draw(random_op::KeyOf(ctx), ids, ctx.workspace());
  auto expected = [&](int64_t c) {
    return static_cast<float>(draws.Expected(c, took));
  };
  DispatchIndex(labels.dtype(), [&]<class I>() {
    for (int64_t i = 0; i < labels.num_elements(); ++i) {
      ctx.out(1).mutable_data<float>()[i] = expected(labels.data<I>()[i]);
    }
  });
  for (int64_t i = 0; i < sampled.num_elements(); ++i) {
    ctx.out(2).mutable_data<float>()[i] = expected(ids[i]);
  }
  return OkStatus();
}

Array Ids(std::initializer_list<int64_t> v) {
  return Array::Vector<int64_t>(v);
}

}  // namespace

SL_OP(LogUniformSample)
    .doc(
        "Classes drawn for a softmax over a few of many: class c of range_max "
        "with probability log((c + 2) / (c + 1)) / log(range_max + 1), which "
        "suits classes sorted by how frequent they are. Also how often each of "
        "labels and each class drawn was to be expected: the logarithm of that "
        "is to be taken from its logit. They depend on the session's seed, "
        "this op's seed and place in the graph, and the step, and on nothing "
        "else.")
    .input("labels: I")
    .input(random_op::kTagInput)
    .output("sampled: i64")
    .output("labels_expected: f32")
    .output("sampled_expected: f32")
    .types("I", kIndices)
    .attr("num_sampled", AttrKind::kInt, "How many classes to draw.")
    .between(0, kMostSampled)
    .attr("range_max", AttrKind::kInt, "How many classes there are.")
    .between(1, int64_t{1} << 48)
    .attr("unique", true, "No class is drawn twice.")
    .attr("seed", 0, random_op::kSeedDoc)
    .shape(Infer)
    .no_grad("it draws classes, which do not change with its operand")
    .cpu(Launch)
    .cpu_workspace(Workspace)
    .random()
    .samples(
        {{.in = {Ids({3, 0, 99})},
          .attrs = {{"num_sampled", 20}, {"range_max", 100}}},
         {.in = {Ids({})},
          .attrs = {{"num_sampled", 500}, {"range_max", 1 << 20}}},
         {.in = {Array::Of<int32_t>({2, 1}, {4, 2})},
          .attrs = {{"num_sampled", 50},
                    {"range_max", 5},
                    {"unique", false},
                    {"seed", 3}}},
         {.in = {Ids({0})}, .attrs = {{"num_sampled", 1}, {"range_max", 1}}},
         {.in = {Ids({1})}, .attrs = {{"num_sampled", 0}, {"range_max", 2}}},
         {.in = {Ids({6})}, .attrs = {{"num_sampled", 40}, {"range_max", 40}}}})
    .rejects(
        {{.in = {Ids({0, 7})},
          .attrs = {{"num_sampled", 2}, {"range_max", 7}},
          .message = "[LogUniformSample] labels[1] is 7; wanted 0 <= "
                     "index < 7"},
         {.in = {Ids({INT64_MIN})},
          .attrs = {{"num_sampled", 2}, {"range_max", 7}},
          .message = "[LogUniformSample] labels[0] is -9223372036854775808"},
         {.in = {Ids({0})},
          .attrs = {{"num_sampled", 8}, {"range_max", 7}},
          .message = "[LogUniformSample] num_sampled is 8, range_max is "
                     "7; wanted no more different classes"}});

}  // namespace sluice
