#include <algorithm>

#include "sluice/op/autocast_rule.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/math/mat_mul_shapes.h"

namespace sluice {
namespace {

// The axes before the last two.
PartialShape Leading(const PartialShape& shape) {
  PartialShape out = PartialShape::OfRank(shape.rank() - 2);
  for (int i = 0; i < out.rank(); ++i) out.set_dim(i, shape[i]);
  return out;
}

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 2));
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(1, 2));
  SL_RETURN_IF_ERROR(WantEqualInner(c));
  if (!c.in(0).rank_known() || !c.in(1).rank_known()) return OkStatus();
  Result<PartialShape> lead =
      BroadcastShapes(Leading(c.in(0)), Leading(c.in(1)));
  if (!lead.ok()) {
    return c.Error(StrCat("leading axes do not broadcast: ", c.Describe(0),
                          ", ", c.Describe(1)));
  }
  MatMulSizes s = SizesOf(c.in(0), c.in(1), c.attrs());
  int64_t dims[kMaxRank];
  int rank = lead->rank();
  std::copy_n(lead->dims().begin(), rank, dims);
  dims[rank] = s.m, dims[rank + 1] = s.n;
  SL_ASSIGN_OR_RETURN(
      PartialShape out,
      PartialShape::Make({dims, static_cast<size_t>(rank + 2)}));
  c.set_out(0, out);
  return OkStatus();
}

// The product's arguments without pointers.
struct Plan {
  GemmArgs g;
  GemmBatch batch;
};
Plan PlanOf(const Shape& a, const Shape& b, const Shape& out,
            const Attrs& attrs) {
  MatMulSizes s = SizesOf(a, b, attrs);
  Plan plan;
  plan.g = {.m = s.m,
            .n = s.n,
            .k = s.k,
            .a = {nullptr, a.dim(a.rank() - 1), s.ta},
            .b = {nullptr, b.dim(b.rank() - 1), s.tb},
            .c = nullptr,
            .ldc = s.n};
  // Elements from one matrix to the next along axis i of the output.
  auto step = [&](const Shape& x, int i) -> int64_t {
    int axis = i - (out.rank() - x.rank());
    if (axis < 0 || x.dim(axis) == 1) return 0;
    int64_t elements = 1;
    for (int k = axis + 1; k < x.rank(); ++k) elements *= x.dim(k);
    return elements;
  };
  for (int i = 0; i < out.rank() - 2; ++i) {
    plan.batch.Add(out.dim(i), step(a, i), step(b, i), step(out, i));
  }
  return plan;
}

int64_t Workspace(const ShapeContext& c) {
  // Without elements, products of the other sizes may not fit an integer.
  if (c.out(0).ToShape().num_elements() == 0) return 0;
  Plan plan = PlanOf(c.in(0).ToShape(), c.in(1).ToShape(), c.out(0).ToShape(),
                     c.attrs());
  return BatchedGemmWorkspace(GemmTypeOf(c.in_dtype(0)), plan.g, plan.batch);
}

Status Launch(KernelContext& ctx) {
  const Array &a = ctx.in(0), &b = ctx.in(1), &out = ctx.out(0);
  if (out.num_elements() == 0) return OkStatus();
  Plan plan = PlanOf(a.shape(), b.shape(), out.shape(), ctx.attrs());
  plan.g.a.data = a.raw();
  plan.g.b.data = b.raw();
  plan.g.c = out.mutable_raw();
  BatchedGemm(GemmTypeOf(a.dtype()), plan.g, plan.batch, &ctx, ctx.step().pool,
              ctx.workspace());
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  MatMulSizes s = SizesOf(in[0].shape, in[1].shape, attrs);
  Ints dims;
  int rank = std::max(in[0].shape.rank(), in[1].shape.rank());
  for (int i = 0; i < rank - 2; ++i) {
    int64_t d = 1;
    for (const RefArray& x : in) {
      int axis = i - (rank - x.shape.rank());
      if (axis >= 0 && x.shape.dim(axis) != 1) d = x.shape.dim(axis);
    }
    dims.push_back(d);
  }
  dims.push_back(s.m), dims.push_back(s.n);
  return {ref::Build(ref::MakeShape(dims), [&](const Ints& index) {
    return MatMulElement(in, index, s);
  })};
}

// The gradient of one matrix b that multiplies all matrices of a: a sum over
// the rows of all of them, so one product. Undefined if the required sizes are
// unknown.
GradVar OneMatrixGrad(GradContext& g) {
  GradVar a = g.in(0), b = g.in(1), dy = g.dy();
  if (b.rank() != 2 || a.rank() <= 2 || g.attr<bool>("transpose_a")) return {};
  bool tb = g.attr<bool>("transpose_b");
  PartialShape sizes = b.shape();
  int64_t depth = sizes[tb], columns = sizes[!tb];
  if (depth <= 0 || columns <= 0) return {};
  GradVar rows = g.call("Reshape", {a, g.ints({-1, depth})});
  GradVar flows = g.call("Reshape", {dy, g.ints({-1, columns})});
  return g.call("MatMul", {tb ? flows : rows, tb ? rows : flows},
                {{"transpose_a", true}});
}

std::vector<Sample> Samples() {
  auto attrs = [](bool ta, bool tb) {
    return Attrs{{"transpose_a", ta}, {"transpose_b", tb}};
  };
  return {{.in = {{2, 3, 4}, {2, 4, 5}}},
          {.in = {{2, 4, 3}, {2, 5, 4}}, .attrs = attrs(true, true)},
          {.in = {{3, 4}, {4, 5}}},
          {.in = {{2, 3, 4}, {4, 5}}},
          {.in = {{2, 4, 3}, {4, 5}}, .attrs = attrs(true, false)},
          {.in = {{3, 4}, {2, 4, 5}}},
          {.in = {{3, 1, 2, 4}, {5, 4, 2}}},
          {.in = {{2, 1, 3, 4}, {1, 3, 5, 4}}, .attrs = attrs(false, true)},
          {.in = {{2, 2, 1, 2, 1, 2, 2, 3}, {2, 1, 3, 2}}},
          {.in = {{0, 3, 4}, {0, 4, 5}}},
          {.in = {{2, 3, 0}, {2, 0, 5}}},
          {.in = {{2, 0, 3}, {3, 5}}},
          {.in = {{40, 33, 20}, {40, 20, 17}}, .only = {DType::kF32}},
          {.in = {{3, 70, 65}, {3, 90, 65}},
           .attrs = attrs(false, true),
           .only = {DType::kF32, DType::kBF16}},
          {.in = {{8, 100, 30}, {30, 40}}, .only = {DType::kF32}}};
}

// Axes before the matrices broadcast: axes that one side lacks are inserted
// behind its lanes.
bool Batched(BatchContext& b) {
  int most = std::max(b.rank(0), b.rank(1));
  if (b.rank(0) < 2 || b.rank(1) < 2) return false;
  RuleVars inputs;
  for (int i : {0, 1}) {
    inputs.push_back(b.batched(i) ? b.expand(b.in(i), 1, most - b.rank(i))
                                  : b.in(i));
  }
  return b.set_all(inputs);
}

}  // namespace

SL_OP(BatchMatMul)
    .doc(
        "Matrix products of stacks: the last two axes of a and b multiply, the "
        "axes before them broadcast. Halves are summed in float; integers "
        "wrap.")
    .input("a: T")
    .input("b: T")
    .output("y: T")
    .types("T", kGemmTypes)
    .attr("transpose_a", false, "Take the transposes of a's matrices.")
    .attr("transpose_b", false, "Take the transposes of b's matrices.")
    .shape(Infer)
    .grad([](GradContext& g) {
      bool ta = g.attr<bool>("transpose_a"), tb = g.attr<bool>("transpose_b");
      auto product = [&](GradVar a, bool across_a, GradVar b, bool across_b) {
        return g.call("BatchMatMul", {a, b},
                      {{"transpose_a", across_a}, {"transpose_b", across_b}});
      };
      GradVar a = g.in(0), b = g.in(1), dy = g.dy();
      if (g.wants(0)) {
        GradVar da = ta ? product(b, tb, dy, true) : product(dy, false, b, !tb);
        g.set_dx(0, g.sum_to(da, a));
      }
      if (!g.wants(1)) return;
      if (GradVar db = OneMatrixGrad(g)) {
        g.set_dx(1, db);
      } else {
        db = tb ? product(dy, true, a, ta) : product(a, !ta, dy, false);
        g.set_dx(1, g.sum_to(db, b));
      }
    })
    .batch(Batched)
    .cpu(Launch)
    .cpu_workspace(Workspace)
    .fuse_output()
    .cost(MatMulCost)
    .role(Role::kBatchMatMul)
    .linear(Linear::kInEither)
    .fails_for_sizes_only()
    .tolerance(2e-5)
    .reference(Reference)
    .samples(Samples())
    .rejects(
        {{.in = {{2, 2, 3}, {2, 4, 5}},
          .message = "[BatchMatMul] inner sizes differ: a is f32[2,2,3], b is "
                     "f32[2,4,5]; wanted a.dim(2) == b.dim(1)"},
         {.in = {{2, 2, 3}, {3, 3, 5}},
          .message = "[BatchMatMul] leading axes do not broadcast: a is "
                     "f32[2,2,3], b is f32[3,3,5]"},
         {.in = {{3}, {3, 2}},
          .message = "[BatchMatMul] a is f32[3]; wanted rank 2 or more"},
         {.in = {{1, 2, 3}, {3}},
          .message = "[BatchMatMul] b is f32[3]; wanted rank 2 or more"},
         {.in = {{1 << 20, 1 << 20, 0}, {0, 1 << 20}},
          .message = "has too many elements; wanted at most 2^48"}});
SL_FACE(BatchMatMul).keeps(kInts);
SL_AUTOCAST(BatchMatMul, kLow);

}  // namespace sluice
