#include <algorithm>
#include <limits>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/isa.h"
#include "sluice/kernels/cpu/pool/pool.h"
#include "sluice/kernels/cpu/pool/pool_geometry.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

namespace {

struct MaxFold {
  static constexpr bool kAverage = false;
  template <class C>
  static C Start() {
    return -std::numeric_limits<C>::infinity();
  }
  template <class C>
  static SL_INLINE C Step(C acc, C x) {
    return x > acc || x != x ? x : acc;
  }
};
struct SumFold {
  static constexpr bool kAverage = true;
  template <class C>
  static C Start() {
    return C(0);
  }
  template <class C>
  static SL_INLINE C Step(C acc, C x) {
    return acc + x;
  }
};

// Columns of rows folded into one row at a time; it stays in the first cache.
constexpr int64_t kRow = 4096;

// row[i] = fold(row[i], x[i]), or the first of them.
template <class Fold, class T>
struct FoldRow {
  using C = Compute<T>;
  static SL_INLINE void Run(const T* x, int64_t n, C* row, bool first) {
    if (first) {
      SL_VECTORIZE
      for (int64_t i = 0; i < n; ++i) row[i] = static_cast<C>(x[i]);
    } else {
      SL_VECTORIZE
      for (int64_t i = 0; i < n; ++i) {
        row[i] = Fold::Step(row[i], static_cast<C>(x[i]));
      }
    }
  }
};

// y[i] = fold of row[i * stride + t * dilation], for whole windows.
template <class Fold, class C, int kStride>
struct FoldWindows {
  static SL_INLINE void Run(const C* row, int64_t n, int64_t kernel,
                            int64_t stride, int64_t dilation, C* y) {
    if constexpr (kStride > 0) stride = kStride;
    if (kernel == 2) {
      SL_VECTORIZE
      for (int64_t i = 0; i < n; ++i) {
        y[i] = Fold::Step(row[i * stride], row[i * stride + dilation]);
      }
      return;
    }
    if (kernel == 3) {
      SL_VECTORIZE
      for (int64_t i = 0; i < n; ++i) {
        y[i] =
            Fold::Step(Fold::Step(row[i * stride], row[i * stride + dilation]),
                       row[i * stride + 2 * dilation]);
      }
      return;
    }
    SL_VECTORIZE
    for (int64_t i = 0; i < n; ++i) y[i] = row[i * stride];
    for (int64_t t = 1; t < kernel; ++t) {
      const C* x = row + t * dilation;
      SL_VECTORIZE
      for (int64_t i = 0; i < n; ++i) y[i] = Fold::Step(y[i], x[i * stride]);
    }
  }
};

// Several accumulators, so that long windows are not one chain of additions.
template <class Fold, class T, class C>
C FoldLine(const T* x, int64_t n, C acc) {
  constexpr int kLanes = 16;
  int64_t i = 0;
  if (n >= 2 * kLanes) {
    C lanes[kLanes];
    for (int k = 0; k < kLanes; ++k) lanes[k] = static_cast<C>(x[k]);
    for (i = kLanes; i + kLanes <= n; i += kLanes) {
      for (int k = 0; k < kLanes; ++k) {
        lanes[k] = Fold::Step(lanes[k], static_cast<C>(x[i + k]));
      }
    }
    for (int k = 0; k < kLanes; ++k) acc = Fold::Step(acc, lanes[k]);
  }
  for (; i < n; ++i) acc = Fold::Step(acc, static_cast<C>(x[i]));
  return acc;
}

template <class Fold, class T>
struct Pool {
  using C = Compute<T>;
  const PoolGeometry& g;
  const T* x;
  T* y;

  // Output rows (o0, o1) of all planes, counted through.
  void Row(int64_t index) const {
    const PoolAxis &a0 = g.axis[0], &a1 = g.axis[1], &a2 = g.axis[2];
    int64_t o1 = index % a1.out, o0 = index / a1.out % a0.out;
    const T* plane = x + index / g.out_rows() * g.in_pixels();
    T* out = y + index * a2.out;
    PoolWindow w0 = a0.At(o0), w1 = a1.At(o1);
    C counted = static_cast<C>(w0.counted) * static_cast<C>(w1.counted);
    for (int64_t begin = 0; begin < a2.out;) {
      // As many outputs as have their columns in the row buffer.
      int64_t first = 0, last = a2.in;
      int64_t end = std::min(a2.out, begin + kRow);
      if (a2.in > kRow) {
        first = last = std::min(a2.At(begin).first, a2.in);
        for (end = begin; end < a2.out && end - begin < kRow; ++end) {
          PoolWindow w = a2.At(end);
          if (w.last - first > kRow) break;
          last = std::max(last, w.last);
        }
      }
      if (end == begin) {
        out[begin] = Finish(Single(plane, w0, w1, a2.At(begin)),
                            counted * static_cast<C>(a2.At(begin).counted));
        ++begin;
        continue;
      }
      alignas(64) C row[kRow];
      bool any = false;
      for (int64_t i = w0.first; i < w0.last; i += w0.step) {
        for (int64_t j = w1.first; j < w1.last; j += w1.step) {
          isa::Call<FoldRow<Fold, T>>(plane + (i * a1.in + j) * a2.in + first,
                                      last - first, static_cast<C*>(row), !any);
          any = true;
        }
      }
      if (!any) std::fill(row, row + (last - first), Fold::template Start<C>());
      Columns(row, first, begin, end, counted, out);
      begin = end;
    }
  }

  // A window too wide for the row buffer.
  C Single(const T* plane, const PoolWindow& w0, const PoolWindow& w1,
           const PoolWindow& w2) const {
    C acc = Fold::template Start<C>();
    for (int64_t i = w0.first; i < w0.last; i += w0.step) {
      for (int64_t j = w1.first; j < w1.last; j += w1.step) {
        const T* line = plane + (i * g.axis[1].in + j) * g.axis[2].in;
        if (w2.step == 1) {
          acc = FoldLine<Fold>(line + w2.first, w2.last - w2.first, acc);
          continue;
        }
        for (int64_t k = w2.first; k < w2.last; k += w2.step) {
          acc = Fold::Step(acc, static_cast<C>(line[k]));
        }
      }
    }
    return acc;
  }

  static T Finish(C acc, C counted) {
    if constexpr (Fold::kAverage) acc = counted > 0 ? acc / counted : C(0);
    return static_cast<T>(acc);
  }

  // Outputs [begin, end) from a row of columns from `first` on.
  void Columns(const C* row, int64_t first, int64_t begin, int64_t end,
               C counted, T* out) const {
    const PoolAxis& a = g.axis[2];
    auto [whole_begin, whole_end] = a.WholeWindows();
    whole_begin = std::clamp(whole_begin, begin, end);
    whole_end = std::clamp(whole_end, whole_begin, end);
    auto one = [&](int64_t o) {
      PoolWindow w = a.At(o);
      C acc = Fold::template Start<C>();
      if (w.step == 1 && w.first < w.last) {
        acc = FoldLine<Fold>(row + w.first - first, w.last - w.first, acc);
      } else {
        for (int64_t k = w.first; k < w.last; k += w.step) {
          acc = Fold::Step(acc, row[k - first]);
        }
      }
      out[o] = Finish(acc, counted * static_cast<C>(w.counted));
    };
    for (int64_t o = begin; o < whole_begin; ++o) one(o);
    if (whole_begin < whole_end) {
      alignas(64) C sums[kRow];
      int64_t n = whole_end - whole_begin;
      const C* from = row + whole_begin * a.stride - a.pad - first;
      if (a.stride == 1) {
        isa::Call<FoldWindows<Fold, C, 1>>(from, n, a.kernel, a.stride,
                                           a.dilation, static_cast<C*>(sums));
      } else if (a.stride == 2) {
        isa::Call<FoldWindows<Fold, C, 2>>(from, n, a.kernel, a.stride,
                                           a.dilation, static_cast<C*>(sums));
      } else {
        isa::Call<FoldWindows<Fold, C, 0>>(from, n, a.kernel, a.stride,
                                           a.dilation, static_cast<C*>(sums));
      }
      C divisor = counted * static_cast<C>(a.kernel);
      T* to = out + whole_begin;
      SL_VECTORIZE
      for (int64_t i = 0; i < n; ++i) to[i] = Finish(sums[i], divisor);
    }
    for (int64_t o = whole_end; o < end; ++o) one(o);
  }
};

template <class Fold>
Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  if (y.num_elements() == 0) return OkStatus();
  PoolGeometry g = MakePoolGeometry(ctx.attrs(), x.shape(), y.shape());
  int64_t rows = g.planes * g.out_rows(), width = g.axis[2].out;
  // About 32K elements read per chunk.
  int64_t work = g.in_pixels() / g.out_rows() + width;
  int64_t grain = std::max<int64_t>(1, 32768 / work);
  DispatchFloats(x.dtype(), [&]<class T>() {
    Pool<Fold, T> pool{g, x.data<T>(), y.mutable_data<T>()};
    ParallelFor(ctx.step().pool, rows, grain, [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) pool.Row(i);
      ctx.Finish(b * width, (e - b) * width);
    });
  });
  return OkStatus();
}

}  // namespace

Status max_pool_kernel(KernelContext& ctx) { return Launch<MaxFold>(ctx); }
Status avg_pool_kernel(KernelContext& ctx) { return Launch<SumFold>(ctx); }

}  // namespace sluice
