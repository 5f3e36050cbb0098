#include <algorithm>
#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/kernels/linalg_reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/linalg/matrix_samples.h"
#include "sluice/ops/linalg/qr_grad.h"
#include "sluice/ops/linalg/vector_signs.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(WantMatrix(c, 0));
  int64_t m = DimFromEnd(c.in(0), 1), n = DimFromEnd(c.in(0), 0);
  int64_t k = m;
  if (!c.attr<bool>("full")) k = m < 0 || n < 0 ? kUnknownDim : std::min(m, n);
  const int64_t q_tail[] = {m, k}, r_tail[] = {k, n};
  SL_ASSIGN_OR_RETURN(PartialShape q, WithTail(c, 0, q_tail));
  SL_ASSIGN_OR_RETURN(PartialShape r, WithTail(c, 0, r_tail));
  c.set_out(0, q);
  c.set_out(1, r);
  return OkStatus();
}

// Read as column-major, x is its transpose, and its factors L Q are R^T Q^T:
// everything is in place, without transposes.
template <class T>
struct Plan {
  int64_t m, n, k, p;  // p: columns of q
  LapackInt lwork = 1;
  MatrixBatch batch{0, 0, 0};

  Plan(const Shape& x, bool full)
      : m(x.dim(x.rank() - 2)),
        n(x.dim(x.rank() - 1)),
        k(std::min(m, n)),
        p(full ? m : k) {
    if (const Lapack* lapack = FindLapack()) {
      T asked = 0, more = 0, none = 0;
      LapackInt query = -1, info = 0, lda = AtLeastOne(n), ldq = AtLeastOne(p);
      auto rows = LapackInt(n), columns = LapackInt(m), q_rows = LapackInt(p),
           reflectors = LapackInt(k);
      lapack->of<T>().gelqf(&rows, &columns, &none, &lda, &none, &asked, &query,
                            &info);
      lapack->of<T>().orglq(&q_rows, &columns, &reflectors, &none, &ldq, &none,
                            &more, &query, &info);
      lwork = static_cast<LapackInt>(AskedSize(std::max(asked, more)));
    }
    Scratch sizes;
    Take(sizes);
    double flops = 4.0 * static_cast<double>(m * n) * static_cast<double>(k);
    batch = MatrixBatch(MatrixCount(x), flops, sizes.used());
  }
  struct Parts {
    T *a, *tau, *work;
  };
  Parts Take(Scratch& s) const {
    return {s.Take<T>(m * n), s.Take<T>(k), s.Take<T>(lwork)};
  }
};

int64_t Workspace(const ShapeContext& c) {
  return WithLapackType(c.in_dtype(0), [&]<class T>() {
    return Plan<T>(c.in(0).ToShape(), c.attr<bool>("full")).batch.workspace();
  });
}

template <class T>
Status Run(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(const Lapack* lapack, NeedLapack(ctx));
  Plan<T> plan(ctx.in(0).shape(), ctx.attr<bool>("full"));
  auto rows = LapackInt(plan.n), columns = LapackInt(plan.m),
       q_rows = LapackInt(plan.p), reflectors = LapackInt(plan.k);
  LapackInt lda = AtLeastOne(plan.n), ldq = AtLeastOne(plan.p);
  plan.batch.Run(ctx, [&](int64_t entry, Scratch scratch) -> int {
    auto parts = plan.Take(scratch);
    T* q = ctx.out(0).mutable_data<T>() + entry * plan.m * plan.p;
    T* r = ctx.out(1).mutable_data<T>() + entry * plan.p * plan.n;
    std::copy_n(ctx.in(0).data<T>() + entry * plan.m * plan.n, plan.m * plan.n,
                parts.a);
    LapackInt info = 0;
    lapack->of<T>().gelqf(&rows, &columns, parts.a, &lda, parts.tau, parts.work,
                          &plan.lwork, &info);
    for (int64_t i = 0; i < plan.p; ++i) {
      for (int64_t j = 0; j < plan.n; ++j) {
        bool inside = i < plan.k && j >= i;
        r[i * plan.n + j] = inside ? parts.a[i * plan.n + j] : T(0);
      }
    }
    for (int64_t j = 0; j < plan.m; ++j) {
      for (int64_t i = 0; i < plan.k; ++i) {
        q[j * plan.p + i] = parts.a[j * plan.n + i];
      }
    }
    if (plan.p > 0) {
      lapack->of<T>().orglq(&q_rows, &columns, &reflectors, q, &ldq, parts.tau,
                            parts.work, &plan.lwork, &info);
    }
    for (int64_t i = 0; i < plan.p; ++i) {
      if (i >= plan.k) {
        MakeLargestPositive(q + i, plan.m, plan.p);
      } else if (r[i * plan.n + i] < 0) {
        Negate(q + i, plan.m, plan.p);
        Negate(r + i * plan.n + i, plan.n - i, 1);
      }
    }
    return 0;
  });
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  return WithLapackType(ctx.in(0).dtype(),
                        [&]<class T>() { return Run<T>(ctx); });
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  const Shape& x = in[0].shape;
  int64_t m = x.dim(x.rank() - 2), n = x.dim(x.rank() - 1);
  int64_t p = attrs.get<bool>("full") ? m : std::min(m, n);
  RefArray q = ref::BatchLike(in[0], {m, p}), r = ref::BatchLike(in[0], {p, n});
  for (int64_t e = 0; e < ref::CountOf(in[0]); ++e) {
    ref::Matrix whole_q, whole_r;
    ref::QrByGramSchmidt(ref::MatrixOf(in[0], e), n, &whole_q, &whole_r);
    for (auto& row : whole_q) row.resize(static_cast<size_t>(p));
    whole_r.resize(static_cast<size_t>(p));
    ref::Append(&q, whole_q);
    ref::Append(&r, whole_r);
  }
  return {q, r};
}

std::vector<Sample> Samples() {
  std::vector<MatrixCase> cases = SquareCases();
  // With `full`, at most one additional column: more are not unique.
  for (const Shape& shape :
       {Shape{4, 3}, Shape{3, 5}, Shape{2, 31, 30}, Shape{1, 0}, Shape{0, 2}}) {
    cases.push_back({shape});
    cases.push_back({shape, {}, {{"full", true}}});
  }
  cases.push_back({{100, 7}});
  cases.push_back({{70, 6, 2}});
  return MatrixSamples(SquareMatrices, cases);
}

}  // namespace

SL_OP(Qr)
    .doc(
        "x = q r with orthonormal columns of q and upper triangular r, the "
        "last two axes being matrices. The diagonal of r is not negative, "
        "which makes the factors of a matrix of full rank unique.")
    .input("x: T")
    .output("q: T")
    .output("r: T")
    .types("T", kLapackTypes)
    .attr("full", false, "Square q, else min(rows, columns) columns.")
    .shape(Infer)
    .grad(QrGrad)
    .batch(batch_rules::leading)
    .cpu(Launch)
    .cpu_workspace(Workspace)
    .tolerance(2e-5)
    .reference(Reference)
    .samples(Samples())
    .rejects({{.in = {{3}},
               .message = "[Qr] x is f32[3]; wanted rank 2 or more"}});

}  // namespace sluice
