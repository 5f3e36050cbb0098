// The gradient of batch normalisation: two sums over each channel, then dx.
#include <cmath>

#include "sluice/kernels/cpu/affine.h"
#include "sluice/kernels/cpu/batch_norm.h"
#include "sluice/kernels/cpu/channel_view.h"
#include "sluice/kernels/cpu/column_sums.h"

namespace sluice {

namespace {

// Sums over a channel of dy and of dy xhat.
struct Pair {
  double a = 0, b = 0;
};

// Sums of dy and dy xhat over a run.
template <class T>
struct GradSums {
  using C = Compute<T>;
  static SL_INLINE Pair Run(const T* dy, const T* x, int64_t n, Affine<C> hat) {
    using L = Lanes<C>;
    Pair all;
    for (int64_t b = 0; b < n; b += moments::kBlock) {
      C sum[2];
      moments::Sums(std::min(moments::kBlock, n - b), sum,
                    [&](int64_t i, int64_t some, L(&acc)[2]) {
                      L g = moments::Take<C>(dy + b + i, some, C(0));
                      L h = moments::Take<C>(x + b + i, some, C(0)) -
                            L::Of(hat.from);
                      h = MulAdd(h, L::Of(hat.scale), L::Of(hat.shift));
                      acc[0] = acc[0] + g;
                      acc[1] = MulAdd(g, h, acc[1]);
                    });
      all.a += static_cast<double>(sum[0]);
      all.b += static_cast<double>(sum[1]);
    }
    return all;
  }
};

// dx = scale rstd (dy - mean(dy) - xhat mean(dy xhat)), sorted by what varies:
// dy by + (x - from) k1 + k0.
template <class C>
struct GradParts {
  C from, by, k1, k0;
};
template <class T>
struct GradRun {
  using C = Compute<T>;
  static SL_INLINE void Run(const T* dy, const T* x, int64_t n, GradParts<C> p,
                            T* dx) {
    SL_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      C d = MulAdd(static_cast<C>(x[i]) - p.from, p.k1, p.k0);
      dx[i] = static_cast<T>(MulAdd(static_cast<C>(dy[i]), p.by, d));
    }
  }
};
// The same for a row, with separate values for each column; from, by, k1 and k0
// are contiguous.
template <class T>
struct GradColumns {
  using C = Compute<T>;
  static SL_INLINE void Run(const T* dy, const T* x, int64_t n, const C* parts,
                            T* dx) {
    const C *from = parts, *by = from + n, *k1 = by + n, *k0 = k1 + n;
    SL_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      C d = MulAdd(static_cast<C>(x[i]) - from[i], k1[i], k0[i]);
      dx[i] = static_cast<T>(MulAdd(static_cast<C>(dy[i]), by[i], d));
    }
  }
};

// One launch of the gradient, on its thread's stack.
template <class T>
class Gradient {
 public:
  Gradient(KernelContext& ctx, const ChannelView& v)
      : ctx_(ctx),
        v_(v),
        pool_(ctx.step().pool),
        dy_(ctx.in(0).data<T>()),
        x_(ctx.in(1).data<T>()),
        dx_(ctx.out(0).mutable_data<T>()),
        dscale_(ctx.out(1).mutable_data<T>()),
        doffset_(ctx.out(2).mutable_data<T>()),
        epsilon_(ctx.attr<double>("epsilon")) {}

  // One channel at a time if their elements form runs, else side by side.
  void Run() { v_.runs() ? ByChannel() : ByColumn(); }

 private:
  using C = Compute<T>;

  double Rstd(int64_t c) const {
    return 1 / std::sqrt(Number(ctx_.in(4), c) + epsilon_);
  }
  Affine<C> Hat(int64_t c) const {
    return Affine<C>::Of(Number(ctx_.in(3), c), Rstd(c));
  }

  // Writes dscale and doffset of channel c; returns the coefficients of its dx.
  GradParts<C> Parts(int64_t c, Pair sum) {
    auto count = static_cast<double>(v_.count());
    dscale_[c] = static_cast<T>(static_cast<C>(sum.b));
    doffset_[c] = static_cast<T>(static_cast<C>(sum.a));
    Affine<C> h = Hat(c);
    double by = Number(ctx_.in(2), c) * Rstd(c);
    double second = by * sum.b / count;
    return GradParts<C>{h.from, static_cast<C>(by),
                        static_cast<C>(-second * static_cast<double>(h.scale)),
                        static_cast<C>(-by * sum.a / count -
                                       second * static_cast<double>(h.shift))};
  }

  void ByColumn() {
    int64_t width = v_.c * v_.s;
    auto* sums = static_cast<double*>(ctx_.workspace());
    auto* hats = reinterpret_cast<Affine<C>*>(sums + 2 * width);
    for (int64_t k = 0; k < width; ++k) hats[k] = Hat(k / v_.s);
    ColumnGradSums(pool_, dy_, x_, v_.n, width, hats, sums);
    C* parts = reinterpret_cast<C*>(hats + width);
    for (int64_t c = 0; c < v_.c; ++c) {
      Pair all;
      for (int64_t k = c * v_.s; k < (c + 1) * v_.s; ++k) {
        all.a += sums[2 * k];
        all.b += sums[2 * k + 1];
      }
      GradParts<C> p = Parts(c, all);
      C* to = parts + c * v_.s;
      for (C part : {p.from, p.by, p.k1, p.k0}) {
        std::fill_n(to, v_.s, part);
        to += width;
      }
    }
    ParallelFor(pool_, v_.n, kChannelGrain / width + 1,
                [&](int64_t begin, int64_t end) {
                  for (int64_t r = begin * width; r < end * width; r += width) {
                    isa::Call<GradColumns<T>>(dy_ + r, x_ + r, width,
                                              static_cast<const C*>(parts),
                                              dx_ + r);
                  }
                  ctx_.Finish(begin * width, (end - begin) * width);
                });
  }

  void ByChannel() {
    auto* sums = static_cast<Pair*>(ctx_.workspace());
    auto* parts = reinterpret_cast<GradParts<C>*>(sums + v_.c * v_.chunks());
    ForChannels(
        pool_, v_, 2 * static_cast<int64_t>(sizeof(T)),
        [&](int64_t c, int64_t chunk) {
          Pair sum;
          int64_t first = chunk * v_.samples_per_chunk();
          int64_t last = std::min(v_.n, first + v_.samples_per_chunk());
          for (int64_t k = first; k < last; ++k) {
            int64_t at = (k * v_.c + c) * v_.s;
            Pair run = isa::Call<GradSums<T>>(dy_ + at, x_ + at, v_.s, Hat(c));
            sum.a += run.a;
            sum.b += run.b;
          }
          sums[c * v_.chunks() + chunk] = sum;
        },
        [&](int64_t c) {
          Pair all;
          for (int64_t k = 0; k < v_.chunks(); ++k) {
            all.a += sums[c * v_.chunks() + k].a;
            all.b += sums[c * v_.chunks() + k].b;
          }
          parts[c] = Parts(c, all);
        },
        [&](int64_t c, int64_t k) {
          int64_t at = (k * v_.c + c) * v_.s;
          isa::Call<GradRun<T>>(dy_ + at, x_ + at, v_.s, parts[c], dx_ + at);
          ctx_.Finish(at, v_.s);
        });
  }

  KernelContext& ctx_;
  const ChannelView& v_;
  WorkerPool* const pool_;
  const T *const dy_, *const x_;
  T *const dx_, *const dscale_, *const doffset_;
  const double epsilon_;
};

}  // namespace

Status batch_norm_grad_kernel(KernelContext& ctx) {
  ChannelView v(ctx.in(1).shape());
  DispatchFloats(ctx.in(0).dtype(), [&]<class T>() {
    if (v.empty()) {
      for (int i : {1, 2}) {
        std::fill_n(ctx.out(i).mutable_data<T>(), v.c, T(0));
      }
    } else {
      Gradient<T>(ctx, v).Run();
    }
  });
  return OkStatus();
}

}  // namespace sluice
