// OpenBLAS as an opponent, loaded while running where it is installed
// (Debian: libopenblas0-pthread); building needs nothing of it.
#pragma once

#include <cstdint>

namespace sluice::bench {

class OpenBlas {
 public:
  // Null when there is none.
  static const OpenBlas* Get();

  // Its own threads: 1 when our pool calls it, the number of cores for large
  // products. Not while it runs.
  void SetThreads(int threads) const { set_threads_(threads); }

  // Row-major c[m,n] = op(a) * op(b), or added to c.
  void Gemm(int64_t m, int64_t n, int64_t k, const float* a, bool transpose_a,
            const float* b, bool transpose_b, float* c,
            bool accumulate = false) const;
  // y[n] = x[k] * b[k,n], row-major.
  void VectorTimesMatrix(int64_t n, int64_t k, const float* x, const float* b,
                         float* y) const;

 private:
  using SgemmFn = void (*)(int order, int ta, int tb, int m, int n, int k,
                           float alpha, const float* a, int lda, const float* b,
                           int ldb, float beta, float* c, int ldc);
  using SgemvFn = void (*)(int order, int t, int m, int n, float alpha,
                           const float* a, int lda, const float* x, int incx,
                           float beta, float* y, int incy);
  SgemmFn sgemm_ = nullptr;
  SgemvFn sgemv_ = nullptr;
  void (*set_threads_)(int) = nullptr;
};

inline constexpr char kNoOpenBlas[] =
    "no OpenBLAS on this machine (Debian: libopenblas0-pthread)";

}  // namespace sluice::bench
