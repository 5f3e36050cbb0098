#include <algorithm>
#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/kernels/linalg_reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/linalg/matrix_samples.h"
#include "sluice/ops/linalg/pinv_grad.h"

namespace sluice {
namespace {

constexpr int kNotFinite = -1000;  // an info of our own

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(WantMatrix(c, 0));
  SL_RETURN_IF_ERROR(WantMatrix(c, 1));
  int64_t m = DimFromEnd(c.in(0), 1), rows = DimFromEnd(c.in(1), 1);
  if (m >= 0 && rows >= 0 && m != rows) {
    return c.Error(StrCat("sizes differ: ", c.Describe(0), ", ", c.Describe(1),
                          "; wanted as many rows in b as in a"));
  }
  SL_ASSIGN_OR_RETURN(PartialShape out, SameLeading(c));
  if (!out.rank_known()) return OkStatus();
  std::vector<int64_t> dims(out.dims().begin(), out.dims().end());
  dims[dims.size() - 2] = DimFromEnd(c.in(0), 0);
  Result<PartialShape> made = PartialShape::Make(dims);
  if (!made.ok()) return c.Error(made.status().message());
  c.set_out(0, *made);
  return OkStatus();
}

template <class T>
struct Plan {
  int64_t m, n, columns, k, tall;
  LapackInt lwork = 1;

  Plan(const Shape& a, const Shape& b)
      : m(a.dim(a.rank() - 2)),
        n(a.dim(a.rank() - 1)),
        columns(b.dim(b.rank() - 1)),
        k(std::min(m, n)),
        tall(std::max<int64_t>({m, n, 1})) {
    if (!FindLapack()) return;
    T asked = 0, none = 0;
    LapackInt info = 0, iwork = 0;
    Call(*FindLapack(), &none, &none, &none, T(0), &asked, -1, &iwork, &info);
    lwork = static_cast<LapackInt>(AskedSize(asked));
  }
  struct Parts {
    T *a, *b, *s, *work;
    LapackInt* iwork;
  };
  Parts Take(Scratch& scratch) const {
    // LAPACK needs 3 k levels + 11 k integers; levels never exceed 32.
    return {scratch.Take<T>(m * n), scratch.Take<T>(tall * columns),
            scratch.Take<T>(k), scratch.Take<T>(lwork),
            scratch.Take<LapackInt>(107 * k + 1)};
  }
  MatrixBatch Batch(const Shape& a) const {
    Scratch sizes;
    Take(sizes);
    double flops = 20.0 * static_cast<double>(m * n) * static_cast<double>(k);
    return MatrixBatch(MatrixCount(a), flops, sizes.used());
  }
  void Call(const Lapack& lapack, T* a, T* b, T* s, T rcond, T* work,
            LapackInt work_size, LapackInt* iwork, LapackInt* info) const {
    auto rows = LapackInt(m), unknowns = LapackInt(n);
    LapackInt rhs = AtLeastOne(columns);
    LapackInt lda = AtLeastOne(m), ldb = LapackInt(tall), rank = 0;
    lapack.of<T>().gelsd(&rows, &unknowns, &rhs, a, &lda, b, &ldb, s, &rcond,
                         &rank, work, &work_size, iwork, info);
  }
};

int64_t Workspace(const ShapeContext& c) {
  return WithLapackType(c.in_dtype(0), [&]<class T>() {
    Shape a = c.in(0).ToShape();
    return Plan<T>(a, c.in(1).ToShape()).Batch(a).workspace();
  });
}

template <class T>
Status Run(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(const Lapack* lapack, NeedLapack(ctx));
  const Shape &a = ctx.in(0).shape(), &b = ctx.in(1).shape();
  Plan<T> plan(a, b);
  int64_t m = plan.m, n = plan.n, columns = plan.columns;
  T rcond = static_cast<T>(ctx.attr<double>("rcond"));
  if (columns == 0) return OkStatus();  // the result is empty
  MatrixFailure failed =
      plan.Batch(a).Run(ctx, [&](int64_t entry, Scratch scratch) -> int {
        auto parts = plan.Take(scratch);
        const T* matrix = ctx.in(0).data<T>() + entry * m * n;
        const T* right = ctx.in(1).data<T>() + entry * m * columns;
        T* y = ctx.out(0).mutable_data<T>() + entry * n * columns;
        if (!AllFinite(matrix, m * n) || !AllFinite(right, m * columns)) {
          return kNotFinite;
        }
        TransposeMatrix(matrix, m, n, n, parts.a);
        std::fill(parts.b, parts.b + plan.tall * columns, T(0));
        for (int64_t i = 0; i < m; ++i) {
          for (int64_t j = 0; j < columns; ++j) {
            parts.b[j * plan.tall + i] = right[i * columns + j];
          }
        }
        LapackInt info = 0;
        plan.Call(*lapack, parts.a, parts.b, parts.s, rcond, parts.work,
                  plan.lwork, parts.iwork, &info);
        if (info != 0) return info;
        for (int64_t i = 0; i < n; ++i) {
          for (int64_t j = 0; j < columns; ++j) {
            y[i * columns + j] = parts.b[j * plan.tall + i];
          }
        }
        return 0;
      });
  if (failed.entry < 0) return OkStatus();
  return ctx.Error(
      StrCat(failed.info == kNotFinite
                 ? StrCat("a", EntryText(a, failed.entry), " or b",
                          EntryText(a, failed.entry),
                          " has elements that are not finite")
                 : StrCat("a", EntryText(a, failed.entry),
                          ": the singular values did not converge")));
}

Status Launch(KernelContext& ctx) {
  double rcond = ctx.attr<double>("rcond");
  if (!(rcond < 1)) {
    return ctx.Error(StrCat("rcond is ", rcond, "; wanted less than 1"));
  }
  return WithLapackType(ctx.in(0).dtype(),
                        [&]<class T>() { return Run<T>(ctx); });
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  const Shape &a = in[0].shape, &b = in[1].shape;
  int64_t m = a.dim(a.rank() - 2), n = a.dim(a.rank() - 1);
  int64_t columns = b.dim(b.rank() - 1);
  double rcond = attrs.get<double>("rcond");
  double cut = rcond < 0 ? 1e-7 : rcond;
  RefArray y = ref::BatchLike(in[1], {n, columns});
  for (int64_t e = 0; e < ref::CountOf(in[1]); ++e) {
    ref::Matrix u, v;
    ref::Vector s;
    ref::SvdByJacobi(ref::MatrixOf(in[0], e), n, &u, &s, &v);
    ref::Matrix ut = ref::Transposed(u, m);
    ut.resize(s.size());
    ref::Matrix w = ref::Product(ut, ref::MatrixOf(in[1], e), columns);
    for (size_t i = 0; i < s.size(); ++i) {
      for (double& x : w[i]) x = s[i] > cut * s[0] ? x / s[i] : 0;
    }
    for (auto& row : v) row.resize(s.size());
    ref::Append(&y, ref::Product(v, w, columns));
  }
  return {y};
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples =
      MatrixSamples(SquareMatrices, {{{3, 3}, {{3, 2}}},
                                     {{6, 3}, {{6, 1}}},
                                     {{3, 5}, {{3, 2}}},
                                     {{2, 8, 4}, {{2, 8, 3}}},
                                     {{60, 30}, {{60, 4}}},
                                     {{0, 2}, {{0, 3}}},
                                     {{2, 0}, {{2, 3}}},
                                     {{2, 2}, {{2, 0}}},
                                     {{0, 2, 2}, {{0, 2, 1}}},
                                     {{4, 4}, {{4, 2}}, {{"rcond", 0.7}}}});
  // The shortest of the many solutions.
  samples.push_back({.in = {Array::Of<float>({2, 2}, {1, 1, 1, 1}), {2, 1}}});
  return samples;
}

}  // namespace

SL_OP(LeastSquares)
    .doc(
        "x for which a x is as near to b as can be, in the sum of squares; of "
        "several such x the shortest. The last two axes are matrices.")
    .input("a: T")
    .input("b: T")
    .output("x: T")
    .types("T", kLapackTypes)
    .attr("rcond", -1.0,
          "Singular values of a below this part of the largest count as 0; "
          "negative: the type's epsilon.")
    .shape(Infer)
    .grad([](GradContext& g) {
      using namespace matrix;
      double rcond = g.attr<double>("rcond");
      GradVar p = g.call("Pinv", {g.in(0)}, {{"rcond", rcond}});
      if (g.wants(1)) g.set_dx(1, TransposedTimes(g, p, g.dy()));
      if (!g.wants(0)) return;
      GradVar dp = TimesTransposed(g, g.dy(), g.in(1));
      g.set_dx(0, PinvBack(g, g.in(0), p, dp, rcond));
    })
    .batch(batch_rules::leading)
    .cpu(Launch)
    .cpu_workspace(Workspace)
    .tolerance(5e-5)
    .reference(Reference)
    .samples(Samples())
    .rejects({{.in = {Array::Of<float>({1, 1}, {NAN}), {1, 1}},
               .message = "[LeastSquares] a or b has elements that are not "
                          "finite"},
              {.in = {{2, 1, 1}, Array::Of<float>({2, 1, 1}, {1, INFINITY})},
               .message = "[LeastSquares] a[1] or b[1] has elements"},
              {.in = {{3, 2}, {2, 2}},
               .message = "[LeastSquares] sizes differ: a is f32[3,2], b is "
                          "f32[2,2]; wanted as many rows in b as in a"},
              {.in = {{3, 2}, {3}},
               .message = "[LeastSquares] b is f32[3]; wanted rank 2 or more"},
              {.in = {{2, 2}, {2, 2}},
               .attrs = {{"rcond", 1.5}},
               .message = "[LeastSquares] rcond is 1.5; wanted less than 1"}});

}  // namespace sluice
