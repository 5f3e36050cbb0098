#include <algorithm>
#include <limits>
#include <type_traits>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/isa.h"
#include "sluice/kernels/cpu/pool/pool.h"
#include "sluice/kernels/cpu/pool/pool_geometry.h"
#include "sluice/kernels/cpu/pool/windows.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

namespace {

// The tap with the maximum, for several windows at a time of a line of windows
// that are entirely inside along the last axis.
constexpr int64_t kLine = 1024, kMaxTaps = 64;

template <class T, int kStride>
struct ArgLine {
  using C = Compute<T>;
  // Tap number `tap` of n windows, x its element in the first one.
  static SL_INLINE void Run(const T* x, int64_t n, int64_t stride, int32_t tap,
                            C* greatest, int32_t* where) {
    if constexpr (kStride > 0) stride = kStride;
    SL_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      C v = static_cast<C>(x[i * stride]), m = greatest[i];
      bool take = v > m || (v != v && m == m);
      greatest[i] = take ? v : m;
      where[i] = take ? tap : where[i];
    }
  }
};

template <class T>
struct MaxGrad {
  using C = Compute<T>;
  const PoolGeometry& g;
  const T* plane;
  const T* dy;
  C* dx;

  void Run() const {
    for (int64_t o0 = 0; o0 < g.axis[0].out; ++o0) {
      PoolWindow w0 = g.axis[0].At(o0);
      for (int64_t o1 = 0; o1 < g.axis[1].out; ++o1) {
        PoolWindow w1 = g.axis[1].At(o1);
        Line(w0, w1, dy + (o0 * g.axis[1].out + o1) * g.axis[2].out);
      }
    }
  }

  void Line(const PoolWindow& w0, const PoolWindow& w1, const T* from) const {
    const PoolAxis& a = g.axis[2];
    auto [begin, end] = a.WholeWindows();
    auto taps = [](const PoolWindow& w) {
      return w.first < w.last ? (w.last - w.first - 1) / w.step + 1 : 0;
    };
    int64_t rows = taps(w0) * taps(w1);
    if (a.kernel > kMaxTaps || rows * a.kernel > kMaxTaps || rows == 0) {
      end = begin;
    }
    for (int64_t o = 0; o < begin; ++o) One(w0, w1, a.At(o), from[o]);
    for (int64_t o = begin; o < end; o += kLine) {
      Whole(w0, w1, o, std::min(kLine, end - o), from + o);
    }
    for (int64_t o = end; o < a.out; ++o) One(w0, w1, a.At(o), from[o]);
  }

  void One(const PoolWindow& w0, const PoolWindow& w1, const PoolWindow& w2,
           T gradient) const {
    int64_t best = Greatest(g, plane, w0, w1, w2);
    if (best >= 0) dx[best] += static_cast<C>(gradient);
  }

  void Whole(const PoolWindow& w0, const PoolWindow& w1, int64_t o, int64_t n,
             const T* from) const {
    const PoolAxis& a = g.axis[2];
    C greatest[kLine];
    int32_t where[kLine] = {};
    int64_t offsets[kMaxTaps];
    int32_t tap = 0;
    for (int64_t i = w0.first; i < w0.last; i += w0.step) {
      for (int64_t j = w1.first; j < w1.last; j += w1.step) {
        int64_t row = (i * g.axis[1].in + j) * a.in + o * a.stride - a.pad;
        for (int64_t t = 0; t < a.kernel; ++t, ++tap) {
          const T* x = plane + row + t * a.dilation;
          offsets[tap] = row + t * a.dilation;
          if (tap == 0) {
            for (int64_t k = 0; k < n; ++k) {
              greatest[k] = static_cast<C>(x[k * a.stride]);
            }
          } else if (a.stride == 1) {
            isa::Call<ArgLine<T, 1>>(x, n, a.stride, tap,
                                     static_cast<C*>(greatest),
                                     static_cast<int32_t*>(where));
          } else if (a.stride == 2) {
            isa::Call<ArgLine<T, 2>>(x, n, a.stride, tap,
                                     static_cast<C*>(greatest),
                                     static_cast<int32_t*>(where));
          } else {
            isa::Call<ArgLine<T, 0>>(x, n, a.stride, tap,
                                     static_cast<C*>(greatest),
                                     static_cast<int32_t*>(where));
          }
        }
      }
    }
    for (int64_t k = 0; k < n; ++k) {
      dx[offsets[where[k]] + k * a.stride] += static_cast<C>(from[k]);
    }
  }
};

// Plane by plane, zeros and then the contributions that `fill` adds: in place,
// or for half-precision types as floats in the workspace, since windows may
// overlap often.
template <class T>
struct Planes {
  using C = Compute<T>;
  const KernelContext& ctx;
  const PoolGeometry& g;

  template <class F>
  void Run(F&& fill) const {
    int64_t pixels = g.in_pixels();
    int64_t work = pixels + g.out_pixels();
    int64_t grain = std::max<int64_t>(1, 16384 / work);
    T* dx = ctx.out(0).template mutable_data<T>();
    ParallelFor(ctx.step().pool, g.planes, grain, [&](int64_t b, int64_t e) {
      for (int64_t p = b; p < e; ++p) {
        T* to = dx + p * pixels;
        if constexpr (std::is_same_v<T, C>) {
          std::fill(to, to + pixels, C(0));
          fill(p, to);
        } else {
          C* sums = static_cast<C*>(ctx.workspace()) + p * pixels;
          std::fill(sums, sums + pixels, C(0));
          fill(p, sums);
          SL_VECTORIZE
          for (int64_t i = 0; i < pixels; ++i) to[i] = static_cast<T>(sums[i]);
        }
      }
      ctx.Finish(b * pixels, (e - b) * pixels);
    });
  }
};

}  // namespace

int64_t pool_grad_workspace(const ShapeContext& c) {
  DType dtype = c.out_dtype(0);
  bool half = dtype == DType::kF16 || dtype == DType::kBF16;
  return half ? c.out(0).ToShape().num_elements() * 4 : 0;
}

Status max_pool_grad_kernel(KernelContext& ctx) {
  const Array &x = ctx.in(0), &dy = ctx.in(1);
  if (x.num_elements() == 0) return OkStatus();
  PoolGeometry g = MakePoolGeometry(ctx.attrs(), x.shape(), dy.shape());
  DispatchFloats(x.dtype(), [&]<class T>() {
    using C = Compute<T>;
    Planes<T>{ctx, g}.Run([&](int64_t p, C* dx) {
      const T* plane = x.data<T>() + p * g.in_pixels();
      const T* from = dy.data<T>() + p * g.out_pixels();
      MaxGrad<T>{g, plane, from, dx}.Run();
    });
  });
  return OkStatus();
}

Status avg_pool_grad_kernel(KernelContext& ctx) {
  const Array &dy = ctx.in(0), &dx = ctx.out(0);
  if (dx.num_elements() == 0) return OkStatus();
  PoolGeometry g = MakePoolGeometry(ctx.attrs(), dx.shape(), dy.shape());
  DispatchFloats(dx.dtype(), [&]<class T>() {
    using C = Compute<T>;
    Planes<T>{ctx, g}.Run([&](int64_t p, C* to) {
      const T* from = dy.data<T>() + p * g.out_pixels();
      ForEachWindow(g, [&](int64_t at, const PoolWindow& w0,
                           const PoolWindow& w1, const PoolWindow& w2) {
        C counted = static_cast<C>(w0.counted) * static_cast<C>(w1.counted) *
                    static_cast<C>(w2.counted);
        if (!(counted > 0)) return;
        C share = static_cast<C>(from[at]) / counted;
        for (int64_t i = w0.first; i < w0.last; i += w0.step) {
          for (int64_t j = w1.first; j < w1.last; j += w1.step) {
            C* row = to + (i * g.axis[1].in + j) * g.axis[2].in;
            for (int64_t k = w2.first; k < w2.last; k += w2.step) {
              row[k] += share;
            }
          }
        }
      });
    });
  });
  return OkStatus();
}

}  // namespace sluice
