#include "benchmarks/open_blas.h"

#include <dlfcn.h>

#include <cstdlib>

namespace sluice::bench {

namespace {
// The values of cblas.h.
constexpr int kRowMajor = 101, kNoTrans = 111, kTrans = 112;
}  // namespace

const OpenBlas* OpenBlas::Get() {
  static const OpenBlas* const loaded = []() -> const OpenBlas* {
    // Its idle threads spin for 2^N ticks of the clock, 60 ms and more by
    // default, on the cores the others are measured on. A millisecond is
    // enough to stay awake between the calls of one turn.
    setenv("OPENBLAS_THREAD_TIMEOUT", "20", 0);
    void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return nullptr;
    static OpenBlas blas;
    blas.sgemm_ = reinterpret_cast<SgemmFn>(dlsym(library, "cblas_sgemm"));
    blas.sgemv_ = reinterpret_cast<SgemvFn>(dlsym(library, "cblas_sgemv"));
    blas.set_threads_ = reinterpret_cast<void (*)(int)>(
        dlsym(library, "openblas_set_num_threads"));
    return blas.sgemm_ && blas.sgemv_ && blas.set_threads_ ? &blas : nullptr;
  }();
  return loaded;
}

void OpenBlas::Gemm(int64_t m, int64_t n, int64_t k, const float* a,
                    bool transpose_a, const float* b, bool transpose_b,
                    float* c, bool accumulate) const {
  sgemm_(kRowMajor, transpose_a ? kTrans : kNoTrans,
         transpose_b ? kTrans : kNoTrans, static_cast<int>(m),
         static_cast<int>(n), static_cast<int>(k), 1, a,
         static_cast<int>(transpose_a ? m : k), b,
         static_cast<int>(transpose_b ? k : n), accumulate ? 1 : 0, c,
         static_cast<int>(n));
}

void OpenBlas::VectorTimesMatrix(int64_t n, int64_t k, const float* x,
                                 const float* b, float* y) const {
  sgemv_(kRowMajor, kTrans, static_cast<int>(k), static_cast<int>(n), 1, b,
         static_cast<int>(n), x, 1, 0, y, 1);
}

}  // namespace sluice::bench
