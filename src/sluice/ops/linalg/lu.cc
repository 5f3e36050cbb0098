#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/matrix_batch.h"
#include "sluice/kernels/linalg_reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/linalg/lu_grad.h"
#include "sluice/ops/linalg/matrix_samples.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(WantMatrix(c, 0));
  c.set_out(0, c.in(0));
  const int64_t rows[] = {DimFromEnd(c.in(0), 1)};
  SL_ASSIGN_OR_RETURN(PartialShape p, WithTail(c, 0, rows));
  c.set_out(1, p);
  return OkStatus();
}

template <class T>
struct Parts {
  T* lu;
  LapackInt* pivots;
  static Parts Take(Scratch& s, int64_t m, int64_t n) {
    return {s.Take<T>(m * n), s.Take<LapackInt>(m < n ? m : n)};
  }
  static MatrixBatch Batch(const Shape& x) {
    int64_t m = x.dim(x.rank() - 2), n = x.dim(x.rank() - 1);
    Scratch scratch;
    Take(scratch, m, n);
    double flops = static_cast<double>(m * n) * static_cast<double>(n);
    return MatrixBatch(MatrixCount(x), flops, scratch.used());
  }
};

int64_t Workspace(const ShapeContext& c) {
  return WithLapackType(c.in_dtype(0), [&]<class T>() {
    return Parts<T>::Batch(c.in(0).ToShape()).workspace();
  });
}

template <class T>
Status Run(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(const Lapack* lapack, NeedLapack(ctx));
  const Shape& x = ctx.in(0).shape();
  int64_t m = x.dim(x.rank() - 2), n = x.dim(x.rank() - 1);
  auto rows = static_cast<LapackInt>(m), columns = static_cast<LapackInt>(n);
  LapackInt lda = AtLeastOne(m);
  Parts<T>::Batch(x).Run(ctx, [&](int64_t entry, Scratch scratch) -> int {
    auto parts = Parts<T>::Take(scratch, m, n);
    TransposeMatrix(ctx.in(0).data<T>() + entry * m * n, m, n, n, parts.lu);
    LapackInt info = 0;
    lapack->of<T>().getrf(&rows, &columns, parts.lu, &lda, parts.pivots, &info);
    TransposeMatrix(parts.lu, n, m, m,
                    ctx.out(0).mutable_data<T>() + entry * m * n);
    // LAPACK returns row exchanges; this op returns the source of each row.
    int64_t* p = ctx.out(1).mutable_data<int64_t>() + entry * m;
    for (int64_t i = 0; i < m; ++i) p[i] = i;
    for (int64_t i = 0; i < m && i < n; ++i) {
      int64_t with = parts.pivots[i] - 1;
      if (with >= 0 && with < m) std::swap(p[i], p[with]);
    }
    return 0;  // a singular matrix also has factors
  });
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  return WithLapackType(ctx.in(0).dtype(),
                        [&]<class T>() { return Run<T>(ctx); });
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  int64_t rows = in[0].shape.dim(in[0].shape.rank() - 2);
  RefArray lu{in[0].shape, {}}, p = ref::BatchLike(in[0], {rows});
  for (int64_t e = 0; e < ref::CountOf(in[0]); ++e) {
    ref::Matrix a = ref::MatrixOf(in[0], e);
    ref::Vector order;
    for (size_t i = 0; i < a.size(); ++i) order.push_back(double(i));
    for (size_t k = 0; k < a.size() && k < a[k].size(); ++k) {
      size_t best = k;
      for (size_t i = k; i < a.size(); ++i) {
        if (std::fabs(a[i][k]) > std::fabs(a[best][k])) best = i;
      }
      std::swap(a[k], a[best]);
      std::swap(order[k], order[best]);
      for (size_t i = k + 1; i < a.size() && a[k][k] != 0; ++i) {
        a[i][k] /= a[k][k];
        for (size_t j = k + 1; j < a[i].size(); ++j) {
          a[i][j] -= a[i][k] * a[k][j];
        }
      }
    }
    ref::Append(&lu, a);
    ref::Append(&p, order);
  }
  return {lu, p};
}

std::vector<Sample> Samples() {
  std::vector<MatrixCase> cases = SquareCases();
  cases.push_back({{3, 5}});
  cases.push_back({{5, 3}});
  cases.push_back({{2, 0, 3}});
  cases.push_back({{2, 3, 0}});
  std::vector<Sample> samples = MatrixSamples(SquareMatrices, cases);
  samples.push_back({.in = {Array::Of<float>({2, 2}, {0, 0, 0, 1})}});
  samples.push_back({.in = {Array::Of<float>({3, 2}, {1, 2, 5, 6, 3, 4})}});
  return samples;
}

}  // namespace

SL_OP(Lu)
    .doc(
        "The factors of x, the rows of which are put in the order p: x[p] = L "
        "U. U is the upper triangle of lu, with the diagonal; L is the lower "
        "one, with ones on its diagonal. The last two axes are matrices.")
    .input("x: T")
    .output("lu: T")
    .output("p: i64")
    .types("T", kLapackTypes)
    .shape(Infer)
    .grad(LuGrad)
    .batch(batch_rules::leading)
    .cpu(Launch)
    .cpu_workspace(Workspace)
    .tolerance(1e-5)
    .reference(Reference)
    .samples(Samples())
    .rejects({{.in = {{3}},
               .message = "[Lu] x is f32[3]; wanted rank 2 or more"},
              {.in = {Shape{0, 20000, 20000}},
               .message = "[Lu] x is f32[0,20000,20000]; wanted matrices of at "
                          "most"}});

}  // namespace sluice
