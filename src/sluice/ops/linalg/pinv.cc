#include <algorithm>
#include <cmath>
#include <limits>

#include "sluice/base/strings.h"
#include "sluice/kernels/linalg_reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/linalg/matrix_samples.h"
#include "sluice/ops/linalg/pinv_grad.h"
#include "sluice/ops/linalg/svd_plan.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(WantMatrix(c, 0));
  const int64_t tail[] = {DimFromEnd(c.in(0), 0), DimFromEnd(c.in(0), 1)};
  SL_ASSIGN_OR_RETURN(PartialShape y, WithTail(c, 0, tail));
  c.set_out(0, y);
  return OkStatus();
}

// Singular values below this part of the largest count as zero.
double Cut(double rcond, int64_t m, int64_t n, bool wide) {
  if (rcond >= 0) return rcond;
  double eps = wide ? std::numeric_limits<double>::epsilon()
                    : std::numeric_limits<float>::epsilon();
  return eps * static_cast<double>(std::max(m, n));
}

template <class T>
struct Parts {
  typename SvdPlan<T>::Parts svd;
  T *u, *s, *vt;
  static Parts Take(Scratch& scratch, const SvdPlan<T>& p) {
    return {p.Take(scratch), scratch.Take<T>(p.m * p.k), scratch.Take<T>(p.k),
            scratch.Take<T>(p.k * p.n)};
  }
  static MatrixBatch Batch(const Shape& x, const SvdPlan<T>& plan) {
    Scratch sizes;
    Take(sizes, plan);
    return MatrixBatch(MatrixCount(x), plan.flops(), sizes.used());
  }
};

int64_t Workspace(const ShapeContext& c) {
  return WithLapackType(c.in_dtype(0), [&]<class T>() {
    Shape x = c.in(0).ToShape();
    return Parts<T>::Batch(x, SvdPlan<T>(x, "S")).workspace();
  });
}

template <class T>
Status Run(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(const Lapack* lapack, NeedLapack(ctx));
  const Shape& x = ctx.in(0).shape();
  SvdPlan<T> plan(x, "S");
  auto m = LapackInt(plan.m), n = LapackInt(plan.n), k = LapackInt(plan.k);
  double cut = Cut(ctx.attr<double>("rcond"), m, n, sizeof(T) == 8);
  if (plan.k == 0) return OkStatus();  // the result is empty
  MatrixFailure failed = Parts<T>::Batch(x, plan).Run(
      ctx, [&](int64_t entry, Scratch scratch) -> int {
        auto parts = Parts<T>::Take(scratch, plan);
        const T* from = ctx.in(0).data<T>() + entry * plan.m * plan.n;
        int info =
            plan.Run(*lapack, from, parts.u, parts.s, parts.vt, parts.svd);
        if (info != 0) return info;
        double least = cut * static_cast<double>(parts.s[0]);
        for (int64_t i = 0; i < plan.k; ++i) {
          T s = parts.s[i];
          T scale = static_cast<double>(s) > least ? T(1) / s : T(0);
          for (int64_t j = 0; j < plan.n; ++j)
            parts.vt[i * plan.n + j] *= scale;
        }
        // V S U^T; read as column-major, U S V^T of the stored factors.
        T one = 1, zero = 0;
        lapack->of<T>().gemm(
            "T", "T", &m, &n, &k, &one, parts.u, &k, parts.vt, &n, &zero,
            ctx.out(0).mutable_data<T>() + entry * plan.m * plan.n, &m, 1, 1);
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
  int64_t m = x.dim(x.rank() - 2), n = x.dim(x.rank() - 1);
  double cut =
      Cut(attrs.get<double>("rcond"), m, n, in[0].dtype == DType::kF64);
  RefArray y = ref::BatchLike(in[0], {n, m});
  for (int64_t e = 0; e < ref::CountOf(in[0]); ++e) {
    ref::Matrix u, v;
    ref::Vector s;
    ref::SvdByJacobi(ref::MatrixOf(in[0], e), n, &u, &s, &v);
    for (auto& row : v) row.resize(s.size());
    for (size_t i = 0; i < s.size(); ++i) {
      for (auto& row : v) row[i] = s[i] > cut * s[0] ? row[i] / s[i] : 0;
    }
    ref::Matrix ut = ref::Transposed(u, m);
    ut.resize(s.size());
    ref::Append(&y, ref::Product(v, ut, m));
  }
  return {y};
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples =
      MatrixSamples(SquareMatrices, {{{3, 3}},
                                     {{5, 3}},
                                     {{2, 3, 6}},
                                     {{40, 20}},
                                     {{0, 2}},
                                     {{2, 3, 0}},
                                     {{3, 3}, {}, {{"rcond", 0.5}}},
                                     {{5, 3}, {}, {{"rcond", 0.6}}},
                                     {{2, 3, 6}, {}, {{"rcond", 0.6}}}});
  samples.push_back({.in = {Array::Of<float>({2, 2}, {1, 2, 2, 4})}});
  return samples;
}

}  // namespace

SL_OP(Pinv)
    .doc(
        "The pseudoinverses (Moore and Penrose) of matrices, the last two axes "
        "of x.")
    .input("x: T")
    .output("y: T")
    .types("T", kLapackTypes)
    .attr("rcond", -1.0,
          "Singular values below this part of the largest count as 0; "
          "negative: the larger side times the type's epsilon.")
    .shape(Infer)
    .grad([](GradContext& g) {
      g.set_dx(0,
               PinvBack(g, g.in(0), g.out(), g.dy(), g.attr<double>("rcond")));
    })
    .batch(batch_rules::leading)
    .cpu(Launch)
    .cpu_workspace(Workspace)
    .tolerance(5e-5)
    .reference(Reference)
    .samples(Samples())
    .rejects({{.in = {Array::Of<float>({1, 1}, {INFINITY})},
               .message = "[Pinv] x has elements that are not finite"},
              {.in = {{3}},
               .message = "[Pinv] x is f32[3]; wanted rank 2 or more"}});

}  // namespace sluice
