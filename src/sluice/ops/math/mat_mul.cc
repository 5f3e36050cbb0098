#include "sluice/op/autocast_rule.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/math/mat_mul_shapes.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 2));
  SL_RETURN_IF_ERROR(c.WantRank(1, 2));
  SL_RETURN_IF_ERROR(WantEqualInner(c));
  bool ta = c.attr<bool>("transpose_a"), tb = c.attr<bool>("transpose_b");
  const int64_t dims[] = {c.in(0).rank_known() ? c.in(0)[ta] : kUnknownDim,
                          c.in(1).rank_known() ? c.in(1)[!tb] : kUnknownDim};
  SL_ASSIGN_OR_RETURN(PartialShape out, PartialShape::Make(dims));
  c.set_out(0, out);
  return OkStatus();
}

int64_t Workspace(const ShapeContext& c) {
  MatMulSizes s = SizesOf(c.in(0), c.in(1), c.attrs());
  return GemmWorkspace(GemmTypeOf(c.in_dtype(0)), s.m, s.n, s.k);
}

Status Launch(KernelContext& ctx) {
  const Array &a = ctx.in(0), &b = ctx.in(1);
  MatMulSizes s = SizesOf(a.shape(), b.shape(), ctx.attrs());
  GemmArgs g{.m = s.m,
             .n = s.n,
             .k = s.k,
             .a = {a.raw(), a.dim(1), s.ta},
             .b = {b.raw(), b.dim(1), s.tb},
             .c = ctx.out(0).mutable_raw(),
             .ldc = s.n};
  BatchedGemm(GemmTypeOf(a.dtype()), g, {}, &ctx, ctx.step().pool,
              ctx.workspace());
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  MatMulSizes s = SizesOf(in[0].shape, in[1].shape, attrs);
  return {ref::Build(ref::MakeShape({s.m, s.n}), [&](const Ints& index) {
    return MatMulElement(in, index, s);
  })};
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples;
  const MatMulSizes sizes[] = {
      {2, 4, 3},    {1, 1, 1},    {1, 7, 5},    {7, 1, 5},    {0, 3, 2},
      {2, 0, 3},    {2, 3, 0},    {5, 20, 9},   {13, 17, 8},  {6, 16, 300},
      {50, 33, 7},  {1, 300, 40}, {300, 1, 40}, {3, 200, 20}, {70, 130, 90},
      {20, 9, 600}, {130, 60, 2}};
  for (const MatMulSizes& s : sizes) {
    bool large = s.m * s.n * s.k > 1000;
    for (int t = 0; t < 4; t += large ? 3 : 1) {
      bool ta = t & 1, tb = t & 2;
      samples.push_back({.in = {ta ? Shape{s.k, s.m} : Shape{s.m, s.k},
                                tb ? Shape{s.n, s.k} : Shape{s.k, s.n}},
                         .attrs = {{"transpose_a", ta}, {"transpose_b", tb}}});
      if (large) samples.back().only = {DType::kF32, DType::kBF16};
      // Long sums of smaller numbers: the error grows with what cancels.
      if (s.k > 100) samples.back().lo = -0.5, samples.back().hi = 0.5;
    }
  }
  return samples;
}

// One matrix for all lanes on the right: all rows of all lanes in one product.
// Otherwise a stack of products.
bool Batched(BatchContext& b) {
  bool transpose_a = b.attr<bool>("transpose_a");
  bool transpose_b = b.attr<bool>("transpose_b");
  const PartialShape& right = b.example(1);
  // An inner size of 0 would leave the number of rows open.
  int64_t inner = right.rank() == 2 ? right[transpose_b ? 1 : 0] : -1;
  if (transpose_a || b.batched(1) || inner <= 0) {
    b.set(0,
          b.call("BatchMatMul", {b.in(0), b.in(1)},
                 {{"transpose_a", transpose_a}, {"transpose_b", transpose_b}}));
    return true;
  }
  RuleVar x = b.in(0);
  RuleVar rows = b.reshape(x, b.ints({-1, inner}));
  RuleVar y = b.call("MatMul", {rows, b.in(1)},
                     {{"transpose_a", false}, {"transpose_b", transpose_b}});
  b.set(0, b.reshape(y, b.join({b.sizes(x, 0, 2), b.sizes(y, 1)})));
  return true;
}

}  // namespace

SL_OP(MatMul)
    .doc(
        "The matrix product of a and b, either one transposed on request. "
        "Halves are summed in float; integers wrap.")
    .function("matmul")
    .input("a: T")
    .input("b: T")
    .output("y: T")
    .types("T", kGemmTypes)
    .attr("transpose_a", false, "Take a's transpose.")
    .attr("transpose_b", false, "Take b's transpose.")
    .shape(Infer)
    .grad([](GradContext& g) {
      bool ta = g.attr<bool>("transpose_a"), tb = g.attr<bool>("transpose_b");
      auto product = [&](GradVar a, bool across_a, GradVar b, bool across_b) {
        return g.call("MatMul", {a, b},
                      {{"transpose_a", across_a}, {"transpose_b", across_b}});
      };
      GradVar dy = g.dy();
      if (g.wants(0)) {
        g.set_dx(0, ta ? product(g.in(1), tb, dy, true)
                       : product(dy, false, g.in(1), !tb));
      }
      if (g.wants(1)) {
        g.set_dx(1, tb ? product(dy, true, g.in(0), ta)
                       : product(g.in(0), !ta, dy, false));
      }
    })
    .batch(Batched)
    .cpu(Launch)
    .cpu_workspace(Workspace)
    .fuse_output()
    .cost(MatMulCost)
    .role(Role::kMatMul)
    .linear(Linear::kInEither)
    .fails_for_sizes_only()
    .tolerance(2e-5)
    .reference(Reference)
    .samples(Samples())
    .rejects({{.in = {{2, 3}, {4, 5}},
               .message = "[MatMul] inner sizes differ: a is f32[2,3], b is "
                          "f32[4,5]; wanted a.dim(1) == b.dim(0)"},
              {.in = {{2, 3}, {2, 3}},
               .attrs = {{"transpose_a", true}, {"transpose_b", true}},
               .message = "[MatMul] inner sizes differ: a is f32[2,3], b is "
                          "f32[2,3]; wanted a.dim(0) == b.dim(1)"},
              {.in = {{3}, {3, 2}},
               .message = "[MatMul] a is f32[3]; wanted rank 2"},
              {.in = {{2, 3}, {3, 2, 1}},
               .message = "[MatMul] b is f32[3,2,1]; wanted rank 2"}});
SL_FACE(MatMul).keeps(kInts);
SL_AUTOCAST(MatMul, kLow);

}  // namespace sluice
