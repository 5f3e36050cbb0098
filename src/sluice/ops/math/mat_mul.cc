#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/gemm/launch.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 2));
  SL_RETURN_IF_ERROR(c.WantRank(1, 2));
  bool ta = c.attr<bool>("transpose_a"), tb = c.attr<bool>("transpose_b");
  int64_t m = kUnknownDim, n = kUnknownDim, ka = kUnknownDim, kb = kUnknownDim;
  if (c.in(0).rank_known()) m = c.in(0)[ta], ka = c.in(0)[!ta];
  if (c.in(1).rank_known()) n = c.in(1)[!tb], kb = c.in(1)[tb];
  if (ka >= 0 && kb >= 0 && ka != kb) {
    return c.Error(StrCat("inner sizes differ: ", c.Describe(0), ", ",
                          c.Describe(1), "; wanted a.dim(", ta ? 0 : 1,
                          ") == b.dim(", tb ? 1 : 0, ")"));
  }
  const int64_t dims[] = {m, n};
  SL_ASSIGN_OR_RETURN(PartialShape out, PartialShape::Make(dims));
  c.set_out(0, out);
  return OkStatus();
}

struct Sizes {
  int64_t m, n, k;
  bool ta = false, tb = false;
};
Sizes SizesOf(const Shape& a, const Shape& b, const Attrs& attrs) {
  bool ta = attrs.get<bool>("transpose_a"), tb = attrs.get<bool>("transpose_b");
  return {a.dim(ta), b.dim(!tb), a.dim(!ta), ta, tb};
}

int64_t Workspace(const ShapeContext& c) {
  Sizes s = SizesOf(c.in(0).ToShape(), c.in(1).ToShape(), c.attrs());
  return GemmWorkspace(GemmTypeOf(c.in_dtype(0)), s.m, s.n, s.k);
}

Status Launch(KernelContext& ctx) {
  const Array &a = ctx.in(0), &b = ctx.in(1);
  Sizes s = SizesOf(a.shape(), b.shape(), ctx.attrs());
  GemmFinish finish{ctx, 0, s.n};
  GemmArgs g{.m = s.m,
             .n = s.n,
             .k = s.k,
             .a = {a.raw(), a.dim(1), s.ta},
             .b = {b.raw(), b.dim(1), s.tb},
             .c = ctx.out(0).mutable_raw(),
             .ldc = s.n,
             .done = finish.done()};
  Gemm(GemmTypeOf(a.dtype()), g, ctx.step().pool, ctx.workspace());
  return OkStatus();
}

double Cost(const ShapeContext& c) {
  if (!c.in(0).fully_known() || !c.in(1).fully_known()) return 1e6;
  Sizes s = SizesOf(c.in(0).ToShape(), c.in(1).ToShape(), c.attrs());
  return 2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) *
         static_cast<double>(s.k);
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  Sizes s = SizesOf(in[0].shape, in[1].shape, attrs);
  return {ref::Build(ref::MakeShape({s.m, s.n}), [&](const Ints& at) {
    double sum = 0;
    for (int64_t k = 0; k < s.k; ++k) {
      Ints a = {at[0], k}, b = {k, at[1]};
      if (s.ta) std::swap(a[0], a[1]);
      if (s.tb) std::swap(b[0], b[1]);
      sum += ref::At(in[0], a) * ref::At(in[1], b);
    }
    return sum;
  })};
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples;
  const Sizes sizes[] = {{2, 4, 3},    {1, 1, 1},    {1, 7, 5},    {7, 1, 5},
                         {0, 3, 2},    {2, 0, 3},    {2, 3, 0},    {5, 20, 9},
                         {13, 17, 8},  {6, 16, 300}, {50, 33, 7},  {1, 300, 40},
                         {300, 1, 40}, {3, 200, 20}, {70, 130, 90}};
  for (const Sizes& s : sizes) {
    bool large = s.m * s.n * s.k > 1000;
    for (int t = 0; t < 4; t += large ? 3 : 1) {
      bool ta = t & 1, tb = t & 2;
      samples.push_back({.in = {ta ? Shape{s.k, s.m} : Shape{s.m, s.k},
                                tb ? Shape{s.n, s.k} : Shape{s.k, s.n}},
                         .attrs = {{"transpose_a", ta}, {"transpose_b", tb}}});
      if (large) samples.back().only = {DType::kF32, DType::kBF16};
    }
  }
  return samples;
}

}  // namespace

SL_OP(MatMul)
    .doc(
        "The matrix product of a and b, either one transposed on request. "
        "Halves are summed in float; integers wrap.")
    .input("a: T")
    .input("b: T")
    .output("y: T")
    .types("T", kFloats | kIndices)
    .attr("transpose_a", false, "Take a's transpose.")
    .attr("transpose_b", false, "Take b's transpose.")
    .shape(Infer)
    .cpu(Launch)
    .cpu_workspace(Workspace)
    .fuse_output()
    .cost(Cost)
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
               .message = "[MatMul] b is f32[3,2,1]; wanted rank 2"},
              {.in = {{2, 2}, {2, 2}},
               .message = "[MatMul] a is i8; wanted one of ",
               .dtype = DType::kI8}});

}  // namespace sluice
