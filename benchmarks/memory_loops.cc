#include "benchmarks/memory_loops.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "benchmarks/timing.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/isa.h"
#include "sluice/kernels/cpu/norm_rows_loop.h"

namespace sluice::bench {

namespace {

constexpr int64_t kGrain = 1 << 16;  // elements

struct TriadLoop {
  static void Run(const float* a, const float* b, float* y, int64_t n) {
    for (int64_t i = 0; i < n; ++i) y[i] = a[i] + 0.5f * b[i];
  }
};

struct TenOpsLoop {
  static void Run(const float* x, float c, float* y, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      float v = (x[i] + c) * c;
      v = (v > 0 ? v : 0) - c;
      v = std::fabs(v);
      v = v > c ? v : c;
      y[i] = (-(v * v) + c) * c;
    }
  }
};

}  // namespace

void ParallelCopy(const Array& x, const Array& y) {
  const float* from = x.data<float>();
  float* to = y.mutable_data<float>();
  ParallelFor(&WorkerPool::Default(), x.num_elements(), kGrain,
              [&](int64_t begin, int64_t end) {
                std::memcpy(to + begin, from + begin,
                            static_cast<size_t>(end - begin) * sizeof(float));
              });
}

void ParallelTriad(const Array& a, const Array& b, const Array& y) {
  ParallelFor(&WorkerPool::Default(), y.num_elements(), kGrain,
              [&](int64_t begin, int64_t end) {
                isa::Call<TriadLoop>(
                    a.data<float>() + begin, b.data<float>() + begin,
                    y.mutable_data<float>() + begin, end - begin);
              });
}

void ParallelTenOps(const Array& x, float c, const Array& y) {
  ParallelFor(&WorkerPool::Default(), y.num_elements(), kGrain,
              [&](int64_t begin, int64_t end) {
                isa::Call<TenOpsLoop>(x.data<float>() + begin, c,
                                      y.mutable_data<float>() + begin,
                                      end - begin);
              });
}

void ParallelNormInCache(const Array& rows, const Array& scale,
                         const Array& offset, int64_t count) {
  const int64_t n = rows.dim(1);
  constexpr int64_t kTask = 8 * kNormRowsInCache;
  ParallelFor(
      &WorkerPool::Default(), count, kTask, [&](int64_t begin, int64_t end) {
        float* y = rows.mutable_data<float>() +
                   WorkerPool::CurrentWorker() * kNormRowsInCache * n;
        float mean[kNormRowsInCache], rstd[kNormRowsInCache];
        for (int64_t r = begin; r < end; r += kNormRowsInCache) {
          isa::Call<NormRows<float, true>>(
              static_cast<const float*>(y), scale.data<float>(),
              offset.data<float>(), std::min(kNormRowsInCache, end - r), n,
              1e-5, y, static_cast<float*>(mean), static_cast<float*>(rstd));
        }
      });
}

double CopyBandwidth(int64_t bytes) {
  Shape shape{bytes / 8};
  Array x = Array::Zeros(DType::kF32, shape);
  Array y = Array::Zeros(DType::kF32, shape);
  double s = SecondsPerCall({}, {[&] { ParallelCopy(x, y); }})[0];
  return static_cast<double>(x.bytes() + y.bytes()) / s;
}

}  // namespace sluice::bench
