// Singular values by LAPACK, shared by Svd and Pinv. Read as column-major, x (m
// x n) is its transpose V S U^T, so V and U are exchanged and no transposes are
// needed: LAPACK's u is our vt, its vt our u.
#pragma once

#include <algorithm>

#include "sluice/kernels/cpu/matrix_batch.h"

namespace sluice {

inline constexpr int kNotFinite = -1000;  // an info of our own

template <class T>
struct SvdPlan {
  const char* job;  // "N" values only, "S" thin, "A" square
  int64_t m, n, k;
  LapackInt lwork = 1;

  SvdPlan(const Shape& x, const char* wanted)
      : job(wanted),
        m(x.dim(x.rank() - 2)),
        n(x.dim(x.rank() - 1)),
        k(std::min(m, n)) {
    if (!FindLapack() || k == 0) return;
    T asked = 0, none = 0;
    LapackInt info = 0, iwork = 0, query = -1;
    Call(*FindLapack(), &none, &none, &none, &none, &asked, query, &iwork,
         &info);
    lwork = static_cast<LapackInt>(AskedSize(asked));
  }

  double flops() const {
    return 20.0 * static_cast<double>(m * n) * static_cast<double>(k);
  }

  struct Parts {
    T *a, *work;
    LapackInt* iwork;
  };
  Parts Take(Scratch& s) const {
    return {s.Take<T>(m * n), s.Take<T>(lwork), s.Take<LapackInt>(8 * k)};
  }

  // Columns of u and rows of vt are kU(), kVt() many. REQUIRES: k > 0.
  int Run(const Lapack& lapack, const T* x, T* u, T* s, T* vt,
          const Parts& parts) const {
    if (!AllFinite(x, m * n)) return kNotFinite;
    std::copy_n(x, m * n, parts.a);
    LapackInt info = 0;
    Call(lapack, parts.a, vt, s, u, parts.work, lwork, parts.iwork, &info);
    return info;
  }

 private:
  void Call(const Lapack& lapack, T* a, T* vt, T* s, T* u, T* work,
            LapackInt work_size, LapackInt* iwork, LapackInt* info) const {
    auto rows = LapackInt(n), columns = LapackInt(m);
    LapackInt lda = AtLeastOne(n), ldu = AtLeastOne(*job == 'A' ? m : k);
    lapack.of<T>().gesdd(job, &rows, &columns, a, &lda, s, vt, &lda, u, &ldu,
                         work, &work_size, iwork, info, 1);
  }
};

}  // namespace sluice
