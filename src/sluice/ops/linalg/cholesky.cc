#include <algorithm>
#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/matrix_batch.h"
#include "sluice/kernels/linalg_reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/linalg/matrix_grad.h"
#include "sluice/ops/linalg/matrix_samples.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(WantSquare(c, 0));
  c.set_out(0, c.in(0));
  return OkStatus();
}

template <class T>
Status Run(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(const Lapack* lapack, NeedLapack(ctx));
  const Shape& x = ctx.in(0).shape();
  auto n = static_cast<LapackInt>(x.dim(x.rank() - 1));
  int64_t size = int64_t{n} * n;
  double side = n;
  MatrixBatch batch(MatrixCount(x), side * side * side / 3, 0);
  // Our lower triangle is the upper one of a column-major matrix.
  MatrixFailure failed = batch.Run(ctx, [&](int64_t entry, Scratch) -> int {
    const T* from = ctx.in(0).data<T>() + entry * size;
    T* y = ctx.out(0).mutable_data<T>() + entry * size;
    for (int64_t i = 0; i < n; ++i) {
      std::copy_n(from + i * n, i + 1, y + i * n);
      std::fill(y + i * n + i + 1, y + i * n + n, T(0));
    }
    LapackInt info = 0, lda = AtLeastOne(n);
    lapack->of<T>().potrf("U", &n, y, &lda, &info, 1);
    // Not every library detects NaN.
    for (LapackInt i = 0; info == 0 && i < n; ++i) {
      if (!(y[int64_t{i} * n + i] > 0)) info = i + 1;
    }
    return info;
  });
  if (failed.entry < 0) return OkStatus();
  return ctx.Error(StrCat("x", EntryText(x, failed.entry),
                          " is not positive definite: its leading minor of "
                          "order ",
                          failed.info, " is not positive"));
}

Status Launch(KernelContext& ctx) {
  return WithLapackType(ctx.in(0).dtype(),
                        [&]<class T>() { return Run<T>(ctx); });
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  RefArray y{in[0].shape, {}};
  for (int64_t e = 0; e < ref::CountOf(in[0]); ++e) {
    ref::Matrix x = ref::MatrixOf(in[0], e), l = x;
    for (size_t i = 0; i < x.size(); ++i) {
      for (size_t j = 0; j < x.size(); ++j) {
        double sum = x[i][j];
        for (size_t k = 0; k < j; ++k) sum -= l[i][k] * l[j][k];
        l[i][j] = j > i ? 0 : i == j ? std::sqrt(sum) : sum / l[j][j];
      }
    }
    ref::Append(&y, l);
  }
  return {y};
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples = MatrixSamples(PositiveMatrices, SquareCases());
  // The upper triangle is not looked at.
  samples.push_back({.in = {Array::Of<float>({2, 2}, {4, 100, 2, 5})}});
  return samples;
}

}  // namespace

SL_OP(Cholesky)
    .doc(
        "Lower triangular L with L L^T = x, for symmetric positive definite "
        "matrices in the last two axes of x. Only the lower triangle of x is "
        "read; the upper one of L is zero.")
    .input("x: T")
    .output("y: T")
    .types("T", kLapackTypes)
    .shape(Infer)
    .grad([](GradContext& g) {
      using namespace matrix;
      GradVar l = g.out();
      GradVar flow = TransposedTimes(g, l, Lower(g, g.dy()));
      GradVar s = Lower(g, flow) - 0.5 * Diagonal(g, flow);
      s = g.call("TriangularSolve", {l, s}, {{"adjoint", true}});
      s = g.call("TriangularSolve", {l, s}, {{"left", false}});
      g.set_dx(0, ForLowerTriangle(g, s));
    })
    .batch(batch_rules::leading)
    .cpu(Launch)
    .tolerance(1e-5)
    .reference(Reference)
    .samples(Samples())
    .rejects({{.in = {Array::Of<float>({2, 2}, {1, 2, 2, 1})},
               .message = "[Cholesky] x is not positive definite: its leading "
                          "minor of order 2 is not positive"},
              {.in = {Array::Of<double>({2, 2, 1, 1}, {1, 1, 1, -1})},
               .message = "[Cholesky] x[1,1] is not positive definite"},
              {.in = {Array::Of<float>({1, 1}, {std::nanf("")})},
               .message = "[Cholesky] x is not positive definite"},
              {.in = {{3, 2}},
               .message = "[Cholesky] x is f32[3,2]; wanted square matrices"},
              {.in = {{3}},
               .message = "[Cholesky] x is f32[3]; wanted rank 2 or more"}});

}  // namespace sluice
