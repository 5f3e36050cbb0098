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
  bool left = c.attr<bool>("left");
  int64_t n = DimFromEnd(c.in(0), 0), side = DimFromEnd(c.in(1), left ? 1 : 0);
  if (n >= 0 && side >= 0 && n != side) {
    return c.Error(StrCat("sizes differ: ", c.Describe(0), ", ", c.Describe(1),
                          "; wanted as many ", left ? "rows" : "columns",
                          " in b as in a"));
  }
  SL_ASSIGN_OR_RETURN(PartialShape out, SameLeading(c));
  c.set_out(0, out);
  return OkStatus();
}

template <class T>
Status Run(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(const Lapack* lapack, NeedLapack(ctx));
  const Shape &a = ctx.in(0).shape(), &b = ctx.in(1).shape();
  int64_t side = a.dim(a.rank() - 1);
  int64_t m = b.dim(b.rank() - 2), n = b.dim(b.rank() - 1);
  TriangularSystem system{ctx.attr<bool>("left"), ctx.attr<bool>("lower"),
                          ctx.attr<bool>("adjoint"),
                          ctx.attr<bool>("unit_diagonal")};
  double flops = static_cast<double>(m * n) * static_cast<double>(side);
  MatrixFailure failed =
      MatrixBatch(MatrixCount(a), flops, 0)
          .Run(ctx, [&](int64_t entry, Scratch) -> int {
            const T* matrix = ctx.in(0).data<T>() + entry * side * side;
            T* y = ctx.out(0).mutable_data<T>() + entry * m * n;
            if (!system.unit_diagonal) {
              int64_t zero = ZeroOnDiagonal(matrix, side);
              if (zero >= 0) return static_cast<int>(zero) + 1;
            }
            std::copy_n(ctx.in(1).data<T>() + entry * m * n, m * n, y);
            if (m * n > 0) {
              SolveTriangular(*lapack, system, matrix, m, n, y);
            }
            return 0;
          });
  if (failed.entry < 0) return OkStatus();
  return ctx.Error(StrCat("a", EntryText(a, failed.entry),
                          " is singular: element ", failed.info - 1,
                          " of its diagonal is 0"));
}

Status Launch(KernelContext& ctx) {
  return WithLapackType(ctx.in(0).dtype(),
                        [&]<class T>() { return Run<T>(ctx); });
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  RefArray y{in[1].shape, {}};
  bool left = attrs.get<bool>("left"), lower = attrs.get<bool>("lower");
  int64_t m = in[1].shape.dim(in[1].shape.rank() - 2);
  int64_t n = in[1].shape.dim(in[1].shape.rank() - 1);
  for (int64_t e = 0; e < ref::CountOf(in[1]); ++e) {
    ref::Matrix a = ref::MatrixOf(in[0], e), b = ref::MatrixOf(in[1], e);
    auto side = static_cast<int64_t>(a.size());
    for (size_t i = 0; i < a.size(); ++i) {
      for (size_t j = 0; j < a.size(); ++j) {
        if (lower ? j > i : j < i) a[i][j] = 0;
        if (i == j && attrs.get<bool>("unit_diagonal")) a[i][j] = 1;
      }
    }
    if (attrs.get<bool>("adjoint")) a = ref::Transposed(a, side);
    if (left) {
      ref::Append(&y, ref::SolveByElimination(a, b));
    } else {
      ref::Matrix x = ref::SolveByElimination(ref::Transposed(a, side),
                                              ref::Transposed(b, n));
      ref::Append(&y, ref::Transposed(x, m));
    }
  }
  return {y};
}

std::vector<Sample> Samples() {
  std::vector<MatrixCase> cases = {{{3, 3}, {{3, 0}}},
                                   {{0, 0}, {{0, 2}}},
                                   {{0, 2, 2}, {{0, 2, 1}}},
                                   {{2, 3, 4, 4}, {{2, 3, 4, 1}}},
                                   {{40, 40}, {{40, 33}}, {{"lower", false}}},
                                   {{33, 33}, {{40, 33}}, {{"left", false}}}};
  for (int k = 0; k < 16; ++k) {
    bool left = k & 1;
    cases.push_back({{2, 4, 4},
                     {left ? Shape{2, 4, 3} : Shape{2, 3, 4}},
                     {{"left", left},
                      {"lower", (k & 2) != 0},
                      {"adjoint", (k & 4) != 0},
                      {"unit_diagonal", (k & 8) != 0}}});
  }
  return MatrixSamples(SquareMatrices, cases);
}

void Gradient(GradContext& g) {
  using namespace matrix;
  bool left = g.attr<bool>("left"), adjoint = g.attr<bool>("adjoint");
  Attrs across = g.attrs();
  across.set("adjoint", !adjoint);
  GradVar db = g.call("TriangularSolve", {g.in(0), g.dy()}, across);
  g.set_dx(1, db);
  if (!g.wants(0)) return;
  GradVar x = g.out(), da;
  if (left) {
    da = adjoint ? TimesTransposed(g, x, db) : TimesTransposed(g, db, x);
  } else {
    da = adjoint ? TransposedTimes(g, db, x) : TransposedTimes(g, x, db);
  }
  da = g.attr<bool>("lower") ? Lower(g, da) : Upper(g, da);
  if (g.attr<bool>("unit_diagonal")) da = da - Diagonal(g, da);
  g.set_dx(0, -da);
}

}  // namespace

SL_OP(TriangularSolve)
    .doc(
        "x with op(a) x = b, or x op(a) = b, for triangular matrices a; the "
        "last two axes are matrices. Only the triangle named is read.")
    .input("a: T")
    .input("b: T")
    .output("x: T")
    .types("T", kLapackTypes)
    .attr("left", true, "Whether op(a) stands left of x.")
    .attr("lower", true, "Whether a is lower triangular, else upper.")
    .attr("adjoint", false, "Take the transpose of a.")
    .attr("unit_diagonal", false, "Take the diagonal of a to be ones.")
    .shape(Infer)
    .grad(Gradient)
    .batch(batch_rules::leading)
    .cpu(Launch)
    .tolerance(2e-5)
    .reference(Reference)
    .samples(Samples())
    .rejects({{.in = {{2, 2}, {2, 1}},
               .message = "[TriangularSolve] a is singular: element 0 of its "
                          "diagonal is 0"},
              {.in = {{2, 2}, {3, 2}},
               .message = "[TriangularSolve] sizes differ: a is f32[2,2], b "
                          "is f32[3,2]; wanted as many rows in b as in a"},
              {.in = {{2, 2}, {2, 3}},
               .attrs = {{"left", false}},
               .message = "[TriangularSolve] sizes differ: a is f32[2,2], b "
                          "is f32[2,3]; wanted as many columns in b as in a"},
              {.in = {{3, 2, 2}, {2, 2, 2}},
               .message = "[TriangularSolve] leading sizes differ: a is "
                          "f32[3,2,2], b is f32[2,2,2]"},
              {.in = {{2, 2}, {2}},
               .message = "[TriangularSolve] b is f32[2]; wanted rank 2 or "
                          "more"},
              {.in = {{2, 3}, {2, 1}},
               .message = "[TriangularSolve] a is f32[2,3]; wanted square "
                          "matrices"}});

}  // namespace sluice
