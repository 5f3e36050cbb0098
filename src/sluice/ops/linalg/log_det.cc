#include <cmath>

#include "sluice/kernels/linalg_reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/linalg/determinant.h"
#include "sluice/ops/linalg/matrix_grad.h"
#include "sluice/ops/linalg/matrix_samples.h"

namespace sluice {
namespace {

template <class T>
Status Run(KernelContext& ctx) {
  T* sign = ctx.out(0).mutable_data<T>();
  T* log_abs = ctx.out(1).mutable_data<T>();
  const Shape& x = ctx.in(0).shape();
  int64_t n = x.dim(x.rank() - 1);
  return determinant::ForEach<T>(
      ctx, [&](int64_t entry, const T* diagonal, int64_t step, bool odd) {
        double sum = 0, turn = odd ? -1 : 1;
        for (int64_t i = 0; i < n; ++i) {
          auto d = static_cast<double>(diagonal[i * step]);
          sum += std::log(std::fabs(d));
          turn = std::isnan(d) ? d : d == 0 ? 0 : d < 0 ? -turn : turn;
        }
        sign[entry] = static_cast<T>(turn);
        log_abs[entry] = static_cast<T>(sum);
      });
}

Status Launch(KernelContext& ctx) {
  return WithLapackType(ctx.in(0).dtype(),
                        [&]<class T>() { return Run<T>(ctx); });
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  RefArray sign = ref::BatchLike(in[0], {}), log_abs = sign;
  for (int64_t i = 0; i < ref::CountOf(in[0]); ++i) {
    ref::Matrix x = ref::MatrixOf(in[0], i);
    double det = 1;
    ref::SolveByElimination(x, ref::Zeros(static_cast<int64_t>(x.size()), 0),
                            &det);
    sign.v.push_back(det > 0 ? 1 : det < 0 ? -1 : 0);
    log_abs.v.push_back(std::log(std::fabs(det)));
  }
  return {sign, log_abs};
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples = MatrixSamples(SquareMatrices, SquareCases());
  samples.push_back({.in = {Array::Of<float>({2, 2}, {1, 2, 2, 4})}});
  samples.push_back({.in = {Array::Of<float>({2, 2}, {0, 1, 1, 0})}});
  return samples;
}

// The inverse, transposed; NaN if there is none. The sign is piecewise
// constant.
void Gradient(GradContext& g) {
  using namespace matrix;
  if (!g.has_dy(1)) return;
  GradVar x = g.in(0), zero = g.scalar(0, x.dtype());
  GradVar singular = AsMatrix(g, g.call("Equal", {g.out(0), zero}));
  GradVar one = Diagonal(g, g.ones_like(x));
  GradVar regular = g.call("Select", {singular, one, x});
  GradVar inverse = Transposed(g, g.call("Inverse", {regular}));
  GradVar nan = g.scalar(std::nan(""), x.dtype());
  GradVar factor = g.call("Select", {singular, nan, inverse});
  g.set_dx(0, g.call("MulNoNan", {AsMatrix(g, g.dy(1)), factor}));
}

}  // namespace

SL_OP(LogDet)
    .doc(
        "The sign of the determinants of square matrices and the logarithm of "
        "their absolute values, which do not overflow. A singular matrix gives "
        "0 and minus infinity.")
    .input("x: T")
    .output("sign: T")
    .output("log_abs: T")
    .types("T", kLapackTypes)
    .shape(determinant::Infer)
    .grad(Gradient)
    .batch(batch_rules::leading)
    .cpu(Launch)
    .cpu_workspace(determinant::Workspace)
    .tolerance(1e-5)
    .reference(Reference)
    .samples(Samples())
    .rejects({{.in = {{2, 3}},
               .message = "[LogDet] x is f32[2,3]; wanted square matrices"},
              {.in = {{2}},
               .message = "[LogDet] x is f32[2]; wanted rank 2 or more"}});

}  // namespace sluice
