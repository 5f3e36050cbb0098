#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/gemm/launch.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/decompose_context.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 2));
  SL_RETURN_IF_ERROR(c.WantRank(1, 1));
  bool ta = c.attr<bool>("transpose_a");
  if (!c.in(0).rank_known()) {
    c.set_out(0, PartialShape::OfRank(1));
    return OkStatus();
  }
  int64_t k = c.in(0)[!ta];
  if (c.in(1).rank_known() && k >= 0 && c.in(1)[0] >= 0 && k != c.in(1)[0]) {
    return c.Error(StrCat("inner sizes differ: ", c.Describe(0), ", ",
                          c.Describe(1), "; wanted a.dim(", ta ? 0 : 1,
                          ") == x.dim(0)"));
  }
  const int64_t dims[] = {c.in(0)[ta]};
  SL_ASSIGN_OR_RETURN(PartialShape out, PartialShape::Make(dims));
  c.set_out(0, out);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array &a = ctx.in(0), &x = ctx.in(1);
  bool ta = ctx.attr<bool>("transpose_a");
  GemmArgs g{.m = a.dim(ta),
             .n = 1,
             .k = a.dim(!ta),
             .a = {a.raw(), a.dim(1), ta},
             .b = {x.raw(), 1, false},
             .c = ctx.out(0).mutable_raw(),
             .ldc = 1};
  BatchedGemm(GemmTypeOf(a.dtype()), g, {}, &ctx, ctx.step().pool, nullptr);
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  bool ta = attrs.get<bool>("transpose_a");
  const Shape& a = in[0].shape;
  return {ref::Build(ref::MakeShape({a.dim(ta)}), [&](const Ints& index) {
    double sum = 0;
    for (int64_t k = 0; k < a.dim(!ta); ++k) {
      sum += in[1].v[static_cast<size_t>(k)] *
             ref::At(in[0], ta ? Ints{k, index[0]} : Ints{index[0], k});
    }
    return sum;
  })};
}

bool Batched(BatchContext& b) {
  bool transpose = b.attr<bool>("transpose_a");
  if (!b.batched(0)) {
    // All lanes' vectors as the rows of one matrix.
    b.set(0, b.call("MatMul", {b.in(1), b.in(0)},
                    {{"transpose_a", false}, {"transpose_b", !transpose}}));
    return true;
  }
  RuleVar column = b.expand(b.in(1), b.batched(1) ? 2 : 1);
  RuleVar y = b.call("BatchMatMul", {b.in(0), column},
                     {{"transpose_a", transpose}, {"transpose_b", false}});
  b.set(0, b.call("Squeeze", {y}, {{"axes", std::vector<int64_t>{2}}}));
  return true;
}

}  // namespace

SL_OP(MatVec)
    .doc(
        "The product of a matrix, transposed on request, and a vector. Halves "
        "are summed in float; integers wrap.")
    .input("a: T")
    .input("x: T")
    .output("y: T")
    .types("T", kGemmTypes)
    .attr("transpose_a", false, "Take a's transpose.")
    .shape(Infer)
    .grad([](GradContext& g) {
      bool ta = g.attr<bool>("transpose_a");
      if (g.wants(0)) {
        g.set_dx(0, ta ? g.call("Outer", {g.in(1), g.dy()})
                       : g.call("Outer", {g.dy(), g.in(1)}));
      }
      if (g.wants(1)) {
        g.set_dx(1,
                 g.call("MatVec", {g.in(0), g.dy()}, {{"transpose_a", !ta}}));
      }
    })
    .batch(Batched)
    .decompose([](DecomposeContext& d) {
      RuleVar column = d.call("ExpandDims", {d.in(1)}, {{"axis", 1}});
      RuleVar y = d.call("MatMul", {d.in(0), column},
                         {{"transpose_a", d.attr<bool>("transpose_a")}});
      d.set(d.call("Squeeze", {y}, {{"axes", std::vector<int64_t>{1}}}));
    })
    .cpu(Launch)
    .fuse_output()
    .fails_for_sizes_only()
    .tolerance(2e-5)
    .reference(Reference)
    .samples({{.in = {{3, 4}, {4}}},
              {.in = {{3, 4}, {3}}, .attrs = {{"transpose_a", true}}},
              {.in = {{70, 40}, {40}}, .only = {DType::kF32, DType::kF16}},
              {.in = {{40, 170}, {40}},
               .attrs = {{"transpose_a", true}},
               .only = {DType::kF32, DType::kF16}},
              {.in = {{1, 1}, {1}}},
              {.in = {{0, 4}, {4}}},
              {.in = {{3, 0}, {0}}}})
    .rejects({{.in = {{2, 3}, {2}},
               .message = "[MatVec] inner sizes differ: a is f32[2,3], x is "
                          "f32[2]; wanted a.dim(1) == x.dim(0)"},
              {.in = {{2, 3}, {3}},
               .attrs = {{"transpose_a", true}},
               .message = "[MatVec] inner sizes differ: a is f32[2,3], x is "
                          "f32[3]; wanted a.dim(0) == x.dim(0)"},
              {.in = {{3}, {3}},
               .message = "[MatVec] a is f32[3]; wanted rank 2"},
              {.in = {{2, 3}, {3, 1}},
               .message = "[MatVec] x is f32[3,1]; wanted rank 1"}});
SL_FACE(MatVec).keeps(kInts);
SL_AUTOCAST(MatVec, kLow);

}  // namespace sluice
