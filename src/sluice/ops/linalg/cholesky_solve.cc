#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/kernels/linalg_reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/linalg/matrix_grad.h"
#include "sluice/ops/linalg/matrix_samples.h"
#include "sluice/ops/linalg/triangular.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(WantSquare(c, 0));
  SL_RETURN_IF_ERROR(WantMatrix(c, 1));
  int64_t n = DimFromEnd(c.in(0), 0), rows = DimFromEnd(c.in(1), 1);
  if (n >= 0 && rows >= 0 && n != rows) {
    return c.Error(StrCat("sizes differ: ", c.Describe(0), ", ", c.Describe(1),
                          "; wanted as many rows in b as in l"));
  }
  SL_ASSIGN_OR_RETURN(PartialShape out, SameLeading(c));
  c.set_out(0, out);
  return OkStatus();
}

template <class T>
Status Run(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(const Lapack* lapack, NeedLapack(ctx));
  const Shape &l = ctx.in(0).shape(), &b = ctx.in(1).shape();
  int64_t m = b.dim(b.rank() - 2), n = b.dim(b.rank() - 1);
  double flops = 2.0 * static_cast<double>(m * n) * static_cast<double>(m);
  MatrixFailure failed =
      MatrixBatch(MatrixCount(l), flops, 0)
          .Run(ctx, [&](int64_t entry, Scratch) -> int {
            const T* matrix = ctx.in(0).data<T>() + entry * m * m;
            T* y = ctx.out(0).mutable_data<T>() + entry * m * n;
            int64_t zero = ZeroOnDiagonal(matrix, m);
            if (zero >= 0) return static_cast<int>(zero) + 1;
            if (m * n == 0) return 0;
            std::copy_n(ctx.in(1).data<T>() + entry * m * n, m * n, y);
            TriangularSystem system;
            SolveTriangular(*lapack, system, matrix, m, n, y);
            system.transposed = true;
            SolveTriangular(*lapack, system, matrix, m, n, y);
            return 0;
          });
  if (failed.entry < 0) return OkStatus();
  return ctx.Error(StrCat("l", EntryText(l, failed.entry),
                          " is singular: element ", failed.info - 1,
                          " of its diagonal is 0"));
}

Status Launch(KernelContext& ctx) {
  return WithLapackType(ctx.in(0).dtype(),
                        [&]<class T>() { return Run<T>(ctx); });
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  RefArray y{in[1].shape, {}};
  for (int64_t e = 0; e < ref::CountOf(in[1]); ++e) {
    ref::Matrix l = ref::MatrixOf(in[0], e);
    auto n = static_cast<int64_t>(l.size());
    for (size_t i = 0; i < l.size(); ++i) {
      for (size_t j = i + 1; j < l.size(); ++j) l[i][j] = 0;
    }
    ref::Matrix a = ref::Product(l, ref::Transposed(l, n), n);
    ref::Append(&y, ref::SolveByElimination(a, ref::MatrixOf(in[1], e)));
  }
  return {y};
}

}  // namespace

SL_OP(CholeskySolve)
    .doc(
        "x with l l^T x = b, l being what Cholesky gives. Only the lower "
        "triangle of l is read; the last two axes are matrices.")
    .input("l: T")
    .input("b: T")
    .output("x: T")
    .types("T", kLapackTypes)
    .shape(Infer)
    .grad([](GradContext& g) {
      using namespace matrix;
      GradVar l = g.in(0), db = g.call("CholeskySolve", {l, g.dy()});
      g.set_dx(1, db);
      if (!g.wants(0)) return;
      GradVar outer = TimesTransposed(g, db, g.out());
      GradVar both = outer + Transposed(g, outer);
      g.set_dx(0, -Lower(g, Times(g, both, Lower(g, l))));
    })
    .batch(batch_rules::leading)
    .cpu(Launch)
    .tolerance(2e-5)
    .reference(Reference)
    .samples(MatrixSamples(PositiveMatrices, {{{3, 3}, {{3, 2}}},
                                              {{1, 1}, {{1, 1}}},
                                              {{2, 5, 5}, {{2, 5, 1}}},
                                              {{50, 50}, {{50, 17}}},
                                              {{3, 3}, {{3, 0}}},
                                              {{0, 0}, {{0, 2}}},
                                              {{0, 2, 2}, {{0, 2, 3}}}}))
    .rejects({{.in = {Array::Of<float>({2, 2}, {1, 0, 3, 0}), {2, 1}},
               .message = "[CholeskySolve] l is singular: element 1 of its "
                          "diagonal is 0"},
              {.in = {{2, 2}, {3, 2}},
               .message = "[CholeskySolve] sizes differ: l is f32[2,2], b is "
                          "f32[3,2]; wanted as many rows in b as in l"},
              {.in = {{1, 2, 2}, {2, 2}},
               .message = "[CholeskySolve] leading sizes differ"},
              {.in = {{2, 3}, {2, 1}},
               .message = "[CholeskySolve] l is f32[2,3]; wanted square "
                          "matrices"}});

}  // namespace sluice
