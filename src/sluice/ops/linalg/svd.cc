#include <algorithm>
#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/kernels/linalg_reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/linalg/matrix_samples.h"
#include "sluice/ops/linalg/svd_grad.h"
#include "sluice/ops/linalg/svd_plan.h"
#include "sluice/ops/linalg/vector_signs.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(WantMatrix(c, 0));
  int64_t m = DimFromEnd(c.in(0), 1), n = DimFromEnd(c.in(0), 0);
  int64_t k = m < 0 || n < 0 ? kUnknownDim : std::min(m, n);
  bool full = c.attr<bool>("full_matrices"), uv = c.attr<bool>("compute_uv");
  const int64_t u_tail[] = {m, uv ? (full ? m : k) : 0}, s_tail[] = {k},
                vt_tail[] = {uv ? (full ? n : k) : 0, n};
  SL_ASSIGN_OR_RETURN(PartialShape u, WithTail(c, 0, u_tail));
  SL_ASSIGN_OR_RETURN(PartialShape s, WithTail(c, 0, s_tail));
  SL_ASSIGN_OR_RETURN(PartialShape vt, WithTail(c, 0, vt_tail));
  c.set_out(0, u);
  c.set_out(1, s);
  c.set_out(2, vt);
  return OkStatus();
}

const char* JobOf(const Attrs& attrs) {
  if (!attrs.get<bool>("compute_uv")) return "N";
  return attrs.get<bool>("full_matrices") ? "A" : "S";
}

template <class T>
MatrixBatch BatchOf(const Shape& x, const SvdPlan<T>& plan) {
  Scratch sizes;
  plan.Take(sizes);
  return MatrixBatch(MatrixCount(x), plan.flops(), sizes.used());
}

int64_t Workspace(const ShapeContext& c) {
  return WithLapackType(c.in_dtype(0), [&]<class T>() {
    Shape x = c.in(0).ToShape();
    return BatchOf(x, SvdPlan<T>(x, JobOf(c.attrs()))).workspace();
  });
}

template <class T>
void SetUnit(T* a, int64_t n) {
  std::fill(a, a + n * n, T(0));
  for (int64_t i = 0; i < n; ++i) a[i * n + i] = 1;
}

template <class T>
Status Run(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(const Lapack* lapack, NeedLapack(ctx));
  const Shape& x = ctx.in(0).shape();
  SvdPlan<T> plan(x, JobOf(ctx.attrs()));
  int64_t columns = ctx.out(0).dim(x.rank() - 1);  // of u
  int64_t rows = ctx.out(2).dim(x.rank() - 2);     // of vt
  MatrixFailure failed =
      BatchOf(x, plan).Run(ctx, [&](int64_t entry, Scratch scratch) -> int {
        T* u = ctx.out(0).mutable_data<T>() + entry * plan.m * columns;
        T* s = ctx.out(1).mutable_data<T>() + entry * plan.k;
        T* vt = ctx.out(2).mutable_data<T>() + entry * rows * plan.n;
        if (plan.k == 0) {
          SetUnit(u, columns ? plan.m : 0);
          SetUnit(vt, rows ? plan.n : 0);
          return 0;
        }
        const T* from = ctx.in(0).data<T>() + entry * plan.m * plan.n;
        int info = plan.Run(*lapack, from, u, s, vt, plan.Take(scratch));
        if (info != 0) return info;
        for (int64_t i = 0; i < columns; ++i) {
          if (!LargestIsNegative(u + i, plan.m, columns)) continue;
          Negate(u + i, plan.m, columns);
          if (i < plan.k) Negate(vt + i * plan.n, plan.n, 1);
        }
        for (int64_t i = plan.k; i < rows; ++i) {
          MakeLargestPositive(vt + i * plan.n, plan.n, 1);
        }
        return 0;
      });
  if (failed.entry < 0) return OkStatus();
  return ctx.Error(StrCat("x", EntryText(x, failed.entry),
                          failed.info == kNotFinite
                              ? " has elements that are not finite"
                              : ": the singular values did not converge"));
}

Status Launch(KernelContext& ctx) {
  return WithLapackType(ctx.in(0).dtype(),
                        [&]<class T>() { return Run<T>(ctx); });
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  const Shape& x = in[0].shape;
  int64_t m = x.dim(x.rank() - 2), n = x.dim(x.rank() - 1), k = std::min(m, n);
  bool full = attrs.get<bool>("full_matrices");
  bool uv = attrs.get<bool>("compute_uv");
  int64_t columns = uv ? (full ? m : k) : 0, rows = uv ? (full ? n : k) : 0;
  RefArray u = ref::BatchLike(in[0], {m, columns}),
           s = ref::BatchLike(in[0], {k}),
           vt = ref::BatchLike(in[0], {rows, n});
  for (int64_t e = 0; e < ref::CountOf(in[0]); ++e) {
    ref::Matrix left, right;
    ref::Vector values;
    ref::SvdByJacobi(ref::MatrixOf(in[0], e), n, &left, &values, &right);
    for (auto& row : left) row.resize(static_cast<size_t>(columns));
    right = ref::Transposed(right, n);
    right.resize(static_cast<size_t>(rows));
    ref::Append(&u, left);
    ref::Append(&s, values);
    ref::Append(&vt, right);
  }
  return {u, s, vt};
}

std::vector<Sample> Samples() {
  std::vector<MatrixCase> cases;
  // With full_matrices, at most one additional vector: more are not unique.
  for (const Shape& shape :
       {Shape{3, 3}, Shape{4, 3}, Shape{3, 4}, Shape{1, 1}, Shape{2, 9, 8},
        Shape{0, 2}, Shape{2, 0}, Shape{0, 2, 3}}) {
    for (int k = 0; k < 4; ++k) {
      cases.push_back(
          {shape,
           {},
           {{"full_matrices", (k & 1) != 0}, {"compute_uv", (k & 2) != 0}}});
    }
  }
  // Rounding moves vectors by the largest value over the distance of two:
  // below 70, and 180.
  cases.push_back({{30, 10}});
  cases.push_back({{5, 40}});
  cases.push_back({{2, 30, 4, 2}});
  return MatrixSamples(SquareMatrices, cases);
}

}  // namespace

SL_OP(Svd)
    .doc(
        "x = u diag(s) vt with orthonormal columns of u and rows of vt, and "
        "singular values s in descending order; the last two axes of x are "
        "matrices. The largest component of every column of u is positive, "
        "and of the rows of vt that have no partner in u.")
    .input("x: T")
    .output("u: T")
    .output("s: T")
    .output("vt: T")
    .types("T", kLapackTypes)
    .attr("full_matrices", false,
          "Square u and vt, else min(rows, columns) vectors of each.")
    .attr("compute_uv", true, "False: u and vt are empty.")
    .shape(Infer)
    .grad(SvdGrad)
    .batch([](BatchContext& b) {
      // Without vectors, they have no axes.
      return b.attr<bool>("compute_uv") && batch_rules::leading(b);
    })
    .cpu(Launch)
    .cpu_workspace(Workspace)
    .tolerance(2e-4)
    .reference(Reference)
    .samples(Samples())
    .rejects(
        {{.in = {Array::Of<float>({1, 1}, {INFINITY})},
          .message = "[Svd] x has elements that are not finite"},
         {.in = {Array::Of<double>({2, 1, 1}, {0, NAN})},
          .message = "[Svd] x[1] has elements that are not finite"},
         {.in = {{3}}, .message = "[Svd] x is f32[3]; wanted rank 2 or more"},
         {.in = {Shape{0, 20000, 20000}},
          .message = "[Svd] x is f32[0,20000,20000]; wanted matrices of at "
                     "most"}});

}  // namespace sluice
