#include "sluice/kernels/cpu/norm_rows.h"

#include <algorithm>
#include <cmath>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/affine.h"
#include "sluice/kernels/cpu/moments.h"
#include "sluice/kernels/cpu/norm_rows_loop.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

namespace {

constexpr int64_t kGrain = 1 << 14;
constexpr int64_t kEnoughTasks = 64;

// A contiguous array as rows: axes before "axis", and from it on.
struct RowView {
  int64_t rows = 1, n = 1;
  RowView(const Shape& shape, int64_t axis) {
    if (axis < 0) axis += shape.rank();
    for (int i = 0; i < shape.rank(); ++i) {
      (i < axis ? rows : n) *= shape.dim(i);
    }
  }
};

template <bool kCenter>
Status Forward(KernelContext& ctx) {
  const Array& out = ctx.out(0);
  RowView v(out.shape(), ctx.attr<int64_t>("axis"));
  double epsilon = ctx.attr<double>("epsilon");
  DispatchFloats(out.dtype(), [&]<class T>() {
    using C = Compute<T>;
    T* y = out.mutable_data<T>();
    C* mean = kCenter ? ctx.out(1).mutable_data<C>() : nullptr;
    C* rstd = ctx.out(kCenter ? 2 : 1).mutable_data<C>();
    if (v.n == 0) {
      // Without elements, mean and variance are 0.
      if (kCenter) std::fill_n(mean, v.rows, C(0));
      std::fill_n(rstd, v.rows, static_cast<C>(1 / std::sqrt(epsilon)));
      return;
    }
    const T* scale = ctx.in(1).data<T>();
    const T* offset = kCenter ? ctx.in(2).data<T>() : nullptr;
    // Long tasks, so that prefetching seldom restarts, but many.
    int64_t task = std::clamp(v.rows * v.n / kEnoughTasks, kGrain, 4 * kGrain);
    int64_t grain = std::max<int64_t>(1, task / v.n);
    ParallelFor(ctx.step().pool, v.rows, grain,
                [&](int64_t begin, int64_t end) {
                  int64_t at = begin * v.n, count = (end - begin) * v.n;
                  const T* x = ctx.Load<T>(at, count, y + at);
                  isa::Call<NormRows<T, kCenter>>(
                      x, scale, offset, end - begin, v.n, epsilon, y + at,
                      kCenter ? mean + begin : nullptr, rstd + begin);
                  ctx.Finish(at, count);
                });
  });
  return OkStatus();
}

// One row of the gradient. With xhat = (x - mean) rstd and g = dy scale:
//   dx = rstd (g - mean(g) - xhat mean(g xhat)),
// and dy xhat and dy are added to dscale and doffset.
template <class T, bool kCenter>
struct NormRowGrad {
  using C = Compute<T>;
  static SL_INLINE void Run(const T* dy, const T* x, const T* scale, int64_t n,
                            double mean, double rstd, T* dx, C* dscale,
                            C* doffset) {
    using L = Lanes<C>;
    Affine<C> a = Affine<C>::Of(mean, rstd);
    double total[2] = {};
    for (int64_t b = 0; b < n; b += moments::kBlock) {
      C sum[2];
      moments::Sums(std::min(moments::kBlock, n - b), sum,
                    [&](int64_t i, int64_t some, L(&acc)[2]) {
                      L g = moments::Take<C>(dy + b + i, some, C(0)) *
                            moments::Take<C>(scale + b + i, some, C(0));
                      L h = moments::Take<C>(x + b + i, some, C(0)) -
                            L::Of(a.from);
                      h = MulAdd(h, L::Of(a.scale), L::Of(a.shift));
                      acc[0] = acc[0] + g;
                      acc[1] = MulAdd(g, h, acc[1]);
                    });
      for (int t = 0; t < 2; ++t) total[t] += static_cast<double>(sum[t]);
    }
    auto count = static_cast<double>(n);
    C first = kCenter ? static_cast<C>(total[0] / count) : C(0);
    C second = static_cast<C>(total[1] / count);
    SL_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      C g = static_cast<C>(dy[i]);
      C h = MulAdd(static_cast<C>(x[i]) - a.from, a.scale, a.shift);
      dscale[i] = MulAdd(g, h, dscale[i]);
      if constexpr (kCenter) doffset[i] += g;
      g = g * static_cast<C>(scale[i]) - first;
      dx[i] = static_cast<T>(a.scale * MulAdd(-h, second, g));
    }
  }
};

// Rows whose contributions to dscale and doffset are summed by one task.
int64_t RowsPerChunk(const RowView& v) {
  constexpr int64_t kMaxChunks = 64;
  int64_t enough = kGrain / std::max<int64_t>(1, v.n) + 1;
  return std::max(enough, (v.rows + kMaxChunks - 1) / kMaxChunks);
}
int64_t Chunks(const RowView& v) {
  return (v.rows + RowsPerChunk(v) - 1) / RowsPerChunk(v);
}

// Element i of an array of f32 or f64.
double Number(const Array& a, int64_t i) {
  return a.dtype() == DType::kF64 ? a.data<double>()[i]
                                  : static_cast<double>(a.data<float>()[i]);
}

template <bool kCenter>
Status Backward(KernelContext& ctx) {
  RowView v(ctx.in(1).shape(), ctx.attr<int64_t>("axis"));
  if (v.n == 0) return OkStatus();
  int64_t chunks = Chunks(v), per_chunk = RowsPerChunk(v);
  const Array* means = kCenter ? &ctx.in(3) : nullptr;
  const Array& rstds = ctx.in(kCenter ? 4 : 3);
  DispatchFloats(ctx.in(0).dtype(), [&]<class T>() {
    using C = Compute<T>;
    const T *dy = ctx.in(0).data<T>(), *x = ctx.in(1).data<T>();
    const T* scale = ctx.in(2).data<T>();
    T* dx = ctx.out(0).mutable_data<T>();
    C* parts = static_cast<C*>(ctx.workspace());
    ParallelFor(ctx.step().pool, chunks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        C *dscale = parts + 2 * c * v.n, *doffset = dscale + v.n;
        std::fill_n(dscale, 2 * v.n, C(0));
        int64_t stop = std::min(v.rows, (c + 1) * per_chunk);
        for (int64_t r = c * per_chunk; r < stop; ++r) {
          isa::Call<NormRowGrad<T, kCenter>>(
              dy + r * v.n, x + r * v.n, scale, v.n,
              kCenter ? Number(*means, r) : 0.0, Number(rstds, r), dx + r * v.n,
              dscale, doffset);
        }
        ctx.Finish(c * per_chunk * v.n, (stop - c * per_chunk) * v.n);
      }
    });
    for (int k = 0; k < (kCenter ? 2 : 1); ++k) {
      T* to = ctx.out(1 + k).mutable_data<T>();
      ParallelFor(ctx.step().pool, v.n, kGrain, [&](int64_t b, int64_t e) {
        for (int64_t i = b; i < e; ++i) {
          C sum = 0;
          for (int64_t c = 0; c < chunks; ++c)
            sum += parts[(2 * c + k) * v.n + i];
          to[i] = static_cast<T>(sum);
        }
      });
    }
  });
  return OkStatus();
}

}  // namespace

Status layer_norm_kernel(KernelContext& ctx) { return Forward<true>(ctx); }
Status rms_norm_kernel(KernelContext& ctx) { return Forward<false>(ctx); }
Status layer_norm_grad_kernel(KernelContext& ctx) {
  return Backward<true>(ctx);
}
Status rms_norm_grad_kernel(KernelContext& ctx) { return Backward<false>(ctx); }

int64_t norm_rows_grad_workspace(const ShapeContext& c) {
  RowView v(c.in(1).ToShape(), c.attr<int64_t>("axis"));
  int64_t size = c.in_dtype(0) == DType::kF64 ? 8 : 4;
  return 2 * Chunks(v) * v.n * size;
}

}  // namespace sluice
