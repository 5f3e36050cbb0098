// Inverting square matrices in place: what Inverse and MatrixPower share.
#pragma once

#include "sluice/kernels/cpu/matrix_batch.h"

namespace sluice {

template <class T>
struct Inverter {
  LapackInt n, lwork = 1;

  explicit Inverter(int64_t side) : n(static_cast<LapackInt>(side)) {
    const Lapack* lapack = FindLapack();
    if (!lapack) return;
    T asked = 0, a = 0;
    LapackInt query = -1, info = 0, pivot = 0, lda = AtLeastOne(n);
    lapack->of<T>().getri(&n, &a, &lda, &pivot, &asked, &query, &info);
    lwork = static_cast<LapackInt>(AskedSize(asked));
  }

  struct Parts {
    LapackInt* pivots;
    T* work;
  };
  Parts Take(Scratch& s) const {
    return {s.Take<LapackInt>(n), s.Take<T>(lwork)};
  }

  // Returns nonzero if `a` is singular. The inverse of the transpose is the
  // transpose of the inverse, so column-major LAPACK needs no transposes.
  int Invert(const Lapack& lapack, T* a, const Parts& parts) const {
    LapackInt info = 0, lda = AtLeastOne(n);
    lapack.of<T>().getrf(&n, &n, a, &lda, parts.pivots, &info);
    if (info != 0) return info;
    lapack.of<T>().getri(&n, a, &lda, parts.pivots, parts.work, &lwork, &info);
    return info;
  }
};

}  // namespace sluice
