#include "sluice/kernels/linalg_reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/linalg/determinant.h"
#include "sluice/ops/linalg/matrix_grad.h"
#include "sluice/ops/linalg/matrix_samples.h"

namespace sluice {
namespace {

template <class T>
Status Run(KernelContext& ctx) {
  T* y = ctx.out(0).mutable_data<T>();
  const Shape& x = ctx.in(0).shape();
  int64_t n = x.dim(x.rank() - 1);
  return determinant::ForEach<T>(
      ctx, [&](int64_t entry, const T* diagonal, int64_t step, bool odd) {
        double product = odd ? -1 : 1;
        for (int64_t i = 0; i < n; ++i) {
          product *= static_cast<double>(diagonal[i * step]);
        }
        y[entry] = static_cast<T>(product);
      });
}

Status Launch(KernelContext& ctx) {
  return WithLapackType(ctx.in(0).dtype(),
                        [&]<class T>() { return Run<T>(ctx); });
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  RefArray y = ref::BatchLike(in[0], {});
  for (int64_t i = 0; i < ref::CountOf(in[0]); ++i) {
    ref::Matrix x = ref::MatrixOf(in[0], i);
    double det = 1;
    ref::SolveByElimination(x, ref::Zeros(static_cast<int64_t>(x.size()), 0),
                            &det);
    y.v.push_back(det);
  }
  return {y};
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples =
      MatrixSamples(SquareMatrices, {{{1, 1}},
                                     {{3, 3}},
                                     {{2, 4, 4}},
                                     {{12, 12}},
                                     {{2, 0, 0}},
                                     {{0, 3, 3}},
                                     {{3, 40, 5, 5}}});
  samples.push_back({.in = {Array::Of<float>({2, 2}, {1, 2, 2, 4})}});
  return samples;
}

// The determinant times the inverse, transposed. A singular matrix has no
// inverse, but the product has a limit there: x is perturbed by a step so small
// that it leaves half of the digits to the inverse and costs the result half of
// them.
void Gradient(GradContext& g) {
  using namespace matrix;
  GradVar x = g.in(0);
  const double way = x.dtype() == DType::kF64 ? 0x1p-27 : 0x1p-13;
  GradVar zero = g.scalar(0, x.dtype());
  GradVar size = g.call("Norm", {g.call("StopGradient", {x})},
                        {{"axes", std::vector<int64_t>{-2, -1}}});
  size = size + g.cast(g.call("Equal", {size, zero}), x.dtype());
  GradVar singular = g.cast(g.call("Equal", {g.out(), zero}), x.dtype());
  GradVar step = AsMatrix(g, way * singular * size);
  x = x + Diagonal(g, g.broadcast_as(step, x));
  GradVar inverse = Transposed(g, g.call("Inverse", {x}));
  g.set_dx(0, AsMatrix(g, g.dy() * g.call("Det", {x})) * inverse);
}

}  // namespace

SL_OP(Det)
    .doc(
        "The determinants of square matrices, the last two axes of x. That of "
        "a matrix without elements is 1.")
    .input("x: T")
    .output("y: T")
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
               .message = "[Det] x is f32[2,3]; wanted square matrices"},
              {.in = {Shape()},
               .message = "[Det] x is f32[]; wanted rank 2 or more"}});
SL_FACE(Det).method();

}  // namespace sluice
