#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/matrix_batch.h"
#include "sluice/kernels/linalg_reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/linalg/invert.h"
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
MatrixBatch BatchOf(const Shape& x, const Inverter<T>& inverter) {
  Scratch sizes;
  inverter.Take(sizes);
  double n = inverter.n;
  return MatrixBatch(MatrixCount(x), 2 * n * n * n, sizes.used());
}

int64_t Workspace(const ShapeContext& c) {
  return WithLapackType(c.in_dtype(0), [&]<class T>() {
    Inverter<T> inverter(DimFromEnd(c.in(0), 0));
    return BatchOf(c.in(0).ToShape(), inverter).workspace();
  });
}

template <class T>
Status Run(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(const Lapack* lapack, NeedLapack(ctx));
  const Shape& shape = ctx.in(0).shape();
  Inverter<T> inverter(shape.dim(shape.rank() - 1));
  int64_t size = int64_t{inverter.n} * inverter.n;
  MatrixFailure failed =
      BatchOf(shape, inverter)
          .Run(ctx, [&](int64_t entry, Scratch scratch) -> int {
            T* y = ctx.out(0).mutable_data<T>() + entry * size;
            std::copy_n(ctx.in(0).data<T>() + entry * size, size, y);
            return inverter.Invert(*lapack, y, inverter.Take(scratch));
          });
  if (failed.entry < 0) return OkStatus();
  return ctx.Error(StrCat("x", EntryText(shape, failed.entry),
                          " is singular; wanted a matrix that has an inverse"));
}

Status Launch(KernelContext& ctx) {
  return WithLapackType(ctx.in(0).dtype(),
                        [&]<class T>() { return Run<T>(ctx); });
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  RefArray y{in[0].shape, {}};
  for (int64_t i = 0; i < ref::CountOf(in[0]); ++i) {
    ref::Matrix x = ref::MatrixOf(in[0], i);
    auto n = static_cast<int64_t>(x.size());
    ref::Append(&y, ref::SolveByElimination(x, ref::Unit(n)));
  }
  return {y};
}

double Cost(const ShapeContext& c) {
  if (!c.in(0).fully_known()) return 1e6;
  Shape x = c.in(0).ToShape();
  return 2.0 * static_cast<double>(x.num_elements()) *
         static_cast<double>(x.dim(x.rank() - 1));
}

}  // namespace

SL_OP(Inverse)
    .doc("The inverses of square matrices, the last two axes of x.")
    .input("x: T")
    .output("y: T")
    .types("T", kLapackTypes)
    .shape(Infer)
    .grad([](GradContext& g) {
      GradVar y = g.out();
      GradVar right = matrix::TimesTransposed(g, g.dy(), y);
      g.set_dx(0, -matrix::TransposedTimes(g, y, right));
    })
    .batch(batch_rules::leading)
    .cpu(Launch)
    .cpu_workspace(Workspace)
    .cost(Cost)
    .tolerance(1e-5)
    .reference(Reference)
    .samples(MatrixSamples(SquareMatrices, SquareCases()))
    .rejects({{.in = {{2, 2}},
               .message = "[Inverse] x is singular; wanted a matrix that has "
                          "an inverse"},
              {.in = {Array::Of<double>({3, 1, 1}, {2, 0, 0})},
               .message = "[Inverse] x[1] is singular"},
              {.in = {{2, 3}},
               .message = "[Inverse] x is f32[2,3]; wanted square matrices"},
              {.in = {{3}},
               .message = "[Inverse] x is f32[3]; wanted rank 2 or more"},
              {.in = {Shape{0, 20000, 20000}},
               .message = "[Inverse] x is f32[0,20000,20000]; wanted matrices "
                          "of at most 16777216 x 16384"}});

}  // namespace sluice
