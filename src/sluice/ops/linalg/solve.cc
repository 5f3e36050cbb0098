#include <algorithm>

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
  SL_RETURN_IF_ERROR(WantMatrix(c, 1));
  int64_t n = DimFromEnd(c.in(0), 0), rows = DimFromEnd(c.in(1), 1);
  if (n >= 0 && rows >= 0 && n != rows) {
    return c.Error(StrCat("sizes differ: ", c.Describe(0), ", ", c.Describe(1),
                          "; wanted as many rows in b as in a"));
  }
  SL_ASSIGN_OR_RETURN(PartialShape out, SameLeading(c));
  c.set_out(0, out);
  return OkStatus();
}

struct Sizes {
  int64_t n, columns;
  Sizes(const Shape& b)
      : n(b.dim(b.rank() - 2)), columns(b.dim(b.rank() - 1)) {}
};

template <class T>
struct Parts {
  T *lu, *b;
  LapackInt* pivots;
  static Parts Take(Scratch& s, const Sizes& size) {
    // One column is the same in either order.
    int64_t turned = size.columns > 1 ? size.n * size.columns : 0;
    return {s.Take<T>(size.n * size.n), s.Take<T>(turned),
            s.Take<LapackInt>(size.n)};
  }
  static MatrixBatch Batch(const Shape& b) {
    Sizes size(b);
    Scratch scratch;
    Take(scratch, size);
    auto n = static_cast<double>(size.n);
    double flops = n * n * (n + 2.0 * static_cast<double>(size.columns));
    return MatrixBatch(MatrixCount(b), flops, scratch.used());
  }
};

int64_t Workspace(const ShapeContext& c) {
  return WithLapackType(c.in_dtype(0), [&]<class T>() {
    return Parts<T>::Batch(c.in(1).ToShape()).workspace();
  });
}

template <class T>
Status Run(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(const Lapack* lapack, NeedLapack(ctx));
  const LapackRoutines<T>& r = lapack->of<T>();
  const Shape& b = ctx.in(1).shape();
  Sizes size(b);
  auto n = static_cast<LapackInt>(size.n);
  auto columns = static_cast<LapackInt>(size.columns);
  LapackInt lda = AtLeastOne(size.n);
  int64_t count = size.n * size.columns;
  MatrixFailure failed =
      Parts<T>::Batch(b).Run(ctx, [&](int64_t entry, Scratch scratch) -> int {
        auto parts = Parts<T>::Take(scratch, size);
        std::copy_n(ctx.in(0).data<T>() + entry * size.n * size.n,
                    size.n * size.n, parts.lu);
        LapackInt info = 0;
        // Factors of the transpose; solved with the transpose of that.
        r.getrf(&n, &n, parts.lu, &lda, parts.pivots, &info);
        if (info != 0) return info;
        const T* from = ctx.in(1).data<T>() + entry * count;
        T* y = ctx.out(0).mutable_data<T>() + entry * count;
        T* x = columns > 1 ? parts.b : y;
        if (columns > 1) {
          TransposeMatrix(from, size.n, size.columns, size.columns, x);
        } else {
          std::copy_n(from, count, x);
        }
        r.getrs("T", &n, &columns, parts.lu, &lda, parts.pivots, x, &lda, &info,
                1);
        if (columns > 1) TransposeMatrix(x, size.columns, size.n, size.n, y);
        return info;
      });
  if (failed.entry < 0) return OkStatus();
  return ctx.Error(StrCat("a", EntryText(b, failed.entry),
                          " is singular; wanted a matrix that has an inverse"));
}

Status Launch(KernelContext& ctx) {
  return WithLapackType(ctx.in(0).dtype(),
                        [&]<class T>() { return Run<T>(ctx); });
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  RefArray y{in[1].shape, {}};
  for (int64_t e = 0; e < ref::CountOf(in[1]); ++e) {
    ref::Append(&y, ref::SolveByElimination(ref::MatrixOf(in[0], e),
                                            ref::MatrixOf(in[1], e)));
  }
  return {y};
}

}  // namespace

SL_OP(Solve)
    .doc(
        "x with a x = b, for square matrices a; the last two axes are "
        "matrices.")
    .input("a: T")
    .input("b: T")
    .output("x: T")
    .types("T", kLapackTypes)
    .shape(Infer)
    .grad([](GradContext& g) {
      using namespace matrix;
      GradVar db = g.call("Solve", {Transposed(g, g.in(0)), g.dy()});
      g.set_dx(1, db);
      if (g.wants(0)) g.set_dx(0, -TimesTransposed(g, db, g.out()));
    })
    .batch(batch_rules::leading)
    .cpu(Launch)
    .cpu_workspace(Workspace)
    .tolerance(2e-5)
    .reference(Reference)
    .samples(MatrixSamples(SquareMatrices, {{{3, 3}, {{3, 2}}},
                                            {{1, 1}, {{1, 1}}},
                                            {{2, 5, 5}, {{2, 5, 1}}},
                                            {{2, 2, 9, 9}, {{2, 2, 9, 3}}},
                                            {{60, 60}, {{60, 25}}},
                                            {{3, 3}, {{3, 0}}},
                                            {{0, 0}, {{0, 2}}},
                                            {{0, 2, 2}, {{0, 2, 3}}},
                                            {{80, 3, 3}, {{80, 3, 2}}}}))
    .rejects({{.in = {{2, 2}, {2, 1}},
               .message = "[Solve] a is singular; wanted a matrix that has an "
                          "inverse"},
              {.in = {Array::Of<float>({2, 1, 1}, {1, 0}), {2, 1, 1}},
               .message = "[Solve] a[1] is singular"},
              {.in = {{2, 2}, {3, 2}},
               .message = "[Solve] sizes differ: a is f32[2,2], b is "
                          "f32[3,2]; wanted as many rows in b as in a"},
              {.in = {{2, 2}, {2}},
               .message = "[Solve] b is f32[2]; wanted rank 2 or more"},
              {.in = {{1, 2, 2}, {2, 2, 2}},
               .message = "[Solve] leading sizes differ: a is f32[1,2,2], b is "
                          "f32[2,2,2]; wanted as many matrices of each"},
              {.in = {{2, 3}, {2, 1}},
               .message = "[Solve] a is f32[2,3]; wanted square matrices"}});

}  // namespace sluice
