// Shared by Det and LogDet: the diagonal of an LU factorization, matrix by
// matrix.
#pragma once

#include <algorithm>

#include "sluice/kernels/cpu/matrix_batch.h"
#include "sluice/op/record.h"

namespace sluice::determinant {

// Outputs 0, 1, ...: one number for each square matrix.
inline Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(WantSquare(c, 0));
  SL_ASSIGN_OR_RETURN(PartialShape out, WithTail(c, 0, {}));
  for (int i = 0; i < c.num_outputs(); ++i) c.set_out(i, out);
  return OkStatus();
}

// Room for the factors and the row exchanges.
template <class T>
struct Factors {
  T* lu;
  LapackInt* pivots;
  static Factors Take(Scratch& s, int64_t n) {
    return {s.Take<T>(n * n), s.Take<LapackInt>(n)};
  }
  static MatrixBatch Batch(const Shape& x) {
    int64_t n = x.dim(x.rank() - 1);
    Scratch sizes;
    Take(sizes, n);
    auto side = static_cast<double>(n);
    return MatrixBatch(MatrixCount(x), side * side * side, sizes.used());
  }
};

inline int64_t Workspace(const ShapeContext& c) {
  return WithLapackType(c.in_dtype(0), [&]<class T>() {
    return Factors<T>::Batch(c.in(0).ToShape()).workspace();
  });
}

// LU factors in place with row exchanges, row-major, for matrices so small that
// calling a library costs more. Returns whether the exchanges were odd.
template <class T>
bool FactorSmall(T* a, int64_t n) {
  bool odd = false;
  for (int64_t k = 0; k < n; ++k) {
    int64_t best = k;
    auto size = [&](int64_t i) {
      T v = a[i * n + k];
      return v < 0 ? -v : v;
    };
    for (int64_t i = k + 1; i < n; ++i) best = size(i) > size(best) ? i : best;
    if (best != k) {
      std::swap_ranges(a + k * n, a + k * n + n, a + best * n);
      odd = !odd;
    }
    if (a[k * n + k] == T(0)) continue;  // this column has no nonzero left
    for (int64_t i = k + 1; i < n; ++i) {
      T f = a[i * n + k] / a[k * n + k];
      for (int64_t j = k + 1; j < n; ++j) a[i * n + j] -= f * a[k * n + j];
    }
  }
  return odd;
}
inline constexpr int64_t kSmall = 8;

// set(entry, diagonal, step, odd) for every matrix: the determinant is the
// product of diagonal[i * step], negated when `odd`.
template <class T, class F>
Status ForEach(KernelContext& ctx, const F& set) {
  SL_ASSIGN_OR_RETURN(const Lapack* lapack, NeedLapack(ctx));
  const Shape& x = ctx.in(0).shape();
  auto n = static_cast<LapackInt>(x.dim(x.rank() - 1));
  int64_t size = int64_t{n} * n;
  Factors<T>::Batch(x).Run(ctx, [&](int64_t entry, Scratch scratch) -> int {
    auto parts = Factors<T>::Take(scratch, n);
    std::copy_n(ctx.in(0).data<T>() + entry * size, size, parts.lu);
    if (n <= kSmall) {
      bool odd_exchanges = FactorSmall(parts.lu, n);
      set(entry, parts.lu, n + 1, odd_exchanges);
      return 0;
    }
    LapackInt info = 0, lda = AtLeastOne(n);
    lapack->of<T>().getrf(&n, &n, parts.lu, &lda, parts.pivots, &info);
    bool odd = false;
    for (LapackInt i = 0; i < n; ++i) odd ^= parts.pivots[i] != i + 1;
    set(entry, parts.lu, n + 1, odd);
    return 0;  // a zero on the diagonal is no failure here
  });
  return OkStatus();
}

}  // namespace sluice::determinant
