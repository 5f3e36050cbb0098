#include <algorithm>
#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/kernels/linalg_reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/linalg/matrix_grad.h"
#include "sluice/ops/linalg/matrix_samples.h"
#include "sluice/ops/linalg/vector_signs.h"

namespace sluice {
namespace {

constexpr int kNotFinite = -1000;  // an info of our own

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(WantSquare(c, 0));
  int64_t n = DimFromEnd(c.in(0), 0);
  const int64_t values[] = {n},
                vectors[] = {n, c.attr<bool>("compute_v") ? n : 0};
  SL_ASSIGN_OR_RETURN(PartialShape w, WithTail(c, 0, values));
  SL_ASSIGN_OR_RETURN(PartialShape v, WithTail(c, 0, vectors));
  c.set_out(0, w);
  c.set_out(1, v);
  return OkStatus();
}

template <class T>
struct Plan {
  LapackInt n, lwork = 1, liwork = 1;
  const char* job;

  Plan(const Shape& x, bool vectors)
      : n(LapackInt(x.dim(x.rank() - 1))), job(vectors ? "V" : "N") {
    const Lapack* lapack = FindLapack();
    if (!lapack) return;
    T asked = 0, none = 0;
    LapackInt query = -1, info = 0, lda = AtLeastOne(n);
    lapack->of<T>().syevd(job, "U", &n, &none, &lda, &none, &asked, &query,
                          &liwork, &query, &info, 1, 1);
    lwork = static_cast<LapackInt>(AskedSize(asked));
  }
  struct Parts {
    T *a, *work;
    LapackInt* iwork;
  };
  Parts Take(Scratch& s) const {
    return {s.Take<T>(int64_t{n} * n), s.Take<T>(lwork),
            s.Take<LapackInt>(liwork)};
  }
  MatrixBatch Batch(const Shape& x) const {
    Scratch sizes;
    Take(sizes);
    double side = n;
    return MatrixBatch(MatrixCount(x), 9 * side * side * side, sizes.used());
  }
};

int64_t Workspace(const ShapeContext& c) {
  return WithLapackType(c.in_dtype(0), [&]<class T>() {
    Shape x = c.in(0).ToShape();
    return Plan<T>(x, c.attr<bool>("compute_v")).Batch(x).workspace();
  });
}

template <class T>
Status Run(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(const Lapack* lapack, NeedLapack(ctx));
  const Shape& x = ctx.in(0).shape();
  bool vectors = ctx.attr<bool>("compute_v");
  Plan<T> plan(x, vectors);
  LapackInt lda = AtLeastOne(plan.n);
  int64_t n = plan.n;
  MatrixFailure failed =
      plan.Batch(x).Run(ctx, [&](int64_t entry, Scratch scratch) -> int {
        auto parts = plan.Take(scratch);
        const T* from = ctx.in(0).data<T>() + entry * n * n;
        for (int64_t i = 0; i < n; ++i) {
          if (!AllFinite(from + i * n, i + 1)) return kNotFinite;
        }
        std::copy_n(from, n * n, parts.a);
        LapackInt info = 0;
        // Our lower triangle is the upper one of a column-major matrix.
        lapack->of<T>().syevd(plan.job, "U", &plan.n, parts.a, &lda,
                              ctx.out(0).mutable_data<T>() + entry * n,
                              parts.work, &plan.lwork, parts.iwork,
                              &plan.liwork, &info, 1, 1);
        if (info != 0 || !vectors) return info;
        for (int64_t i = 0; i < n; ++i) {
          MakeLargestPositive(parts.a + i * n, n, 1);
        }
        TransposeMatrix(parts.a, n, n, n,
                        ctx.out(1).mutable_data<T>() + entry * n * n);
        return 0;
      });
  if (failed.entry < 0) return OkStatus();
  return ctx.Error(StrCat("x", EntryText(x, failed.entry),
                          failed.info == kNotFinite
                              ? " has elements that are not finite"
                              : ": the eigenvalues did not converge"));
}

Status Launch(KernelContext& ctx) {
  return WithLapackType(ctx.in(0).dtype(),
                        [&]<class T>() { return Run<T>(ctx); });
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  const Shape& x = in[0].shape;
  int64_t n = x.dim(x.rank() - 1), columns = attrs.get<bool>("compute_v") * n;
  RefArray w = ref::BatchLike(in[0], {n}),
           v = ref::BatchLike(in[0], {n, columns});
  for (int64_t e = 0; e < ref::CountOf(in[0]); ++e) {
    ref::Matrix a = ref::MatrixOf(in[0], e), vectors;
    for (size_t i = 0; i < a.size(); ++i) {
      for (size_t j = i + 1; j < a.size(); ++j) a[i][j] = a[j][i];
    }
    ref::Vector values;
    ref::EigenByJacobi(a, &values, &vectors);
    for (int64_t k = 0; k < n; ++k) ref::MakeLargestPositive(&vectors, k);
    for (auto& row : vectors) row.resize(static_cast<size_t>(columns));
    ref::Append(&w, values);
    ref::Append(&v, vectors);
  }
  return {w, v};
}

std::vector<Sample> Samples() {
  std::vector<MatrixCase> cases = {{{1, 1}},       {{3, 3}}, {{2, 5, 5}},
                                   {{20, 20}},     {{0, 0}}, {{0, 2, 2}},
                                   {{3, 10, 4, 4}}};
  cases.push_back({{2, 6, 6}, {}, {{"compute_v", false}}});
  std::vector<Sample> samples = MatrixSamples(PositiveMatrices, cases);
  // The upper triangle is not looked at.
  samples.push_back({.in = {Array::Of<float>({2, 2}, {2, NAN, 1, 3})}});
  return samples;
}

// Eigenvectors of equal eigenvalues are not unique: what flows into their
// choice is dropped.
void Gradient(GradContext& g) {
  using namespace matrix;
  GradVar w = g.out(0), v = g.out(1);
  if (!g.attr<bool>("compute_v")) {
    const GradVar in[] = {g.in(0)};
    GradVars made = g.call_all("Eigh", in);
    if (made.empty()) return;
    v = made[1];
  }
  GradVar s;
  if (g.has_dy(0)) s = TimesTransposed(g, v * AsRow(g, g.dy(0)), v);
  if (g.has_dy(1) && g.attr<bool>("compute_v")) {
    GradVar gaps = AsRow(g, w) - AsColumn(g, w);
    GradVar turn = TransposedTimes(g, v, g.dy(1));
    turn = g.call("DivNoNan", {turn, gaps});
    turn = Times(g, v, TimesTransposed(g, turn, v));
    s = s ? s + turn : turn;
  }
  if (s) g.set_dx(0, ForLowerTriangle(g, s));
}

}  // namespace

SL_OP(Eigh)
    .doc(
        "Eigenvalues w of symmetric matrices in ascending order and the "
        "eigenvectors as columns of v; the last two axes of x are matrices. "
        "Only the lower triangle is read. The largest component of every "
        "eigenvector is positive.")
    .input("x: T")
    .output("w: T")
    .output("v: T")
    .types("T", kLapackTypes)
    .attr("compute_v", true, "False: v is empty.")
    .shape(Infer)
    .grad(Gradient)
    .batch([](BatchContext& b) {
      // Without vectors, v has no axes.
      return b.attr<bool>("compute_v") && batch_rules::leading(b);
    })
    .cpu(Launch)
    .cpu_workspace(Workspace)
    .tolerance(5e-5)
    .reference(Reference)
    .samples(Samples())
    .rejects({{.in = {Array::Of<float>({1, 1}, {NAN})},
               .message = "[Eigh] x has elements that are not finite"},
              {.in = {Array::Of<float>({2, 1, 1}, {1, INFINITY})},
               .message = "[Eigh] x[1] has elements that are not finite"},
              {.in = {{2, 3}},
               .message = "[Eigh] x is f32[2,3]; wanted square matrices"},
              {.in = {{3}},
               .message = "[Eigh] x is f32[3]; wanted rank 2 or more"}});

}  // namespace sluice
