#include "sluice/kernels/cpu/softmax.h"

#include <algorithm>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/axis_view.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

namespace {

constexpr int kLanes = 16;

// The larger; NaN when either is one.
template <class C>
C Larger(C a, C b) {
  return a > b || a != a ? a : b;
}

// What to subtract before exp: the maximum, unless that is infinite, when the
// difference would be NaN for every element.
template <class C>
C Shift(C max) {
  return max - max == 0 ? max : C(0);
}

template <class T, class C = Compute<T>>
C RowMax(const T* x, int64_t n) {
  C lane[kLanes];
  for (C& v : lane) v = static_cast<C>(x[0]);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) {
      lane[k] = Larger(static_cast<C>(x[i + k]), lane[k]);
    }
  }
  for (; i < n; ++i) lane[0] = Larger(static_cast<C>(x[i]), lane[0]);
  C max = lane[0];
  for (C v : lane) max = Larger(v, max);
  return max;
}

template <class T, class C = Compute<T>>
C RowExpSum(const T* x, int64_t n, C shift) {
  C lane[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) {
      lane[k] += vmath::Exp(static_cast<C>(x[i + k]) - shift);
    }
  }
  for (int k = 0; i < n; ++i, ++k) {
    lane[k] += vmath::Exp(static_cast<C>(x[i]) - shift);
  }
  C sum = 0;
  for (C v : lane) sum += v;
  return sum;
}

template <class T, class C = Compute<T>>
C RowLogSumExp(const T* x, int64_t n) {
  C shift = Shift(RowMax(x, n));
  return shift + vmath::Log(RowExpSum(x, n, shift));
}

template <class T, bool kLog>
void Row(const T* x, int64_t n, T* y) {
  using C = Compute<T>;
  C shift = Shift(RowMax(x, n));
  C sum = RowExpSum(x, n, shift);
  if constexpr (kLog) {
    C log = vmath::Log(sum);
    SL_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      y[i] = static_cast<T>((static_cast<C>(x[i]) - shift) - log);
    }
  } else {
    C scale = C(1) / sum;
    SL_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      y[i] = static_cast<T>(vmath::Exp(static_cast<C>(x[i]) - shift) * scale);
    }
  }
}

// `n` neighbouring columns of a slab of `size` rows `inner` apart.
constexpr int64_t kStrip = 64;
template <class T, bool kLog>
void Columns(const T* x, int64_t size, int64_t inner, int64_t n, T* y) {
  using C = Compute<T>;
  C shift[kStrip], sum[kStrip] = {};
  for (int64_t k = 0; k < n; ++k) shift[k] = static_cast<C>(x[k]);
  for (int64_t i = 1; i < size; ++i) {
    for (int64_t k = 0; k < n; ++k) {
      shift[k] = Larger(static_cast<C>(x[i * inner + k]), shift[k]);
    }
  }
  for (int64_t k = 0; k < n; ++k) shift[k] = Shift(shift[k]);
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t k = 0; k < n; ++k) {
      sum[k] += vmath::Exp(static_cast<C>(x[i * inner + k]) - shift[k]);
    }
  }
  for (int64_t k = 0; k < n; ++k)
    sum[k] = kLog ? vmath::Log(sum[k]) : 1 / sum[k];
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t k = 0; k < n; ++k) {
      C d = static_cast<C>(x[i * inner + k]) - shift[k];
      y[i * inner + k] =
          static_cast<T>(kLog ? d - sum[k] : vmath::Exp(d) * sum[k]);
    }
  }
}

template <bool kLog>
Status Run(KernelContext& ctx) {
  const Array& x = ctx.in(0);
  if (x.num_elements() == 0) return OkStatus();
  AxisView v(x.shape(), ctx.attr<int64_t>("axis"));
  DispatchFloats(x.dtype(), [&]<class T>() {
    const T* from = x.data<T>();
    T* to = ctx.out(0).mutable_data<T>();
    int64_t strips = v.inner == 1 ? 1 : (v.inner + kStrip - 1) / kStrip;
    int64_t work = v.size * std::min(v.inner, kStrip);
    int64_t grain = std::max<int64_t>(1, (1 << 13) / work);
    ParallelFor(ctx.step().pool, v.outer * strips, grain,
                [&](int64_t begin, int64_t end) {
                  for (int64_t t = begin; t < end; ++t) {
                    int64_t first = t % strips * kStrip;
                    int64_t at = t / strips * v.size * v.inner + first;
                    if (v.inner == 1) {
                      Row<T, kLog>(from + at, v.size, to + at);
                    } else {
                      Columns<T, kLog>(from + at, v.size, v.inner,
                                       std::min(kStrip, v.inner - first),
                                       to + at);
                    }
                  }
                });
  });
  return OkStatus();
}

}  // namespace

Status softmax_shape(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  if (c.in(0).rank_known()) {
    Result<int> axis = c.ResolveAxis(c.attr<int64_t>("axis"), c.in(0).rank());
    if (!axis.ok()) return axis.status();
  }
  return shapes::same_as_first(c);
}

Status softmax_kernel(KernelContext& ctx) { return Run<false>(ctx); }
Status log_softmax_kernel(KernelContext& ctx) { return Run<true>(ctx); }

float LogSumExp(const float* row, int64_t n) { return RowLogSumExp(row, n); }
double LogSumExp(const double* row, int64_t n) { return RowLogSumExp(row, n); }
float LogSumExp(const f16* row, int64_t n) { return RowLogSumExp(row, n); }
float LogSumExp(const bf16* row, int64_t n) { return RowLogSumExp(row, n); }

}  // namespace sluice
