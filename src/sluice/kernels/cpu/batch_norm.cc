#include "sluice/kernels/cpu/batch_norm.h"

#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/affine.h"
#include "sluice/kernels/cpu/channel_view.h"
#include "sluice/kernels/cpu/column_sums.h"
#include "sluice/kernels/cpu/norm_rows.h"

namespace sluice {

namespace {

template <class T>
struct RunMoments {
  static SL_INLINE Moments Run(const T* x, int64_t n) {
    return moments::OfRow(x, n);
  }
};

// y = affine of x, for every column of a matrix v.n x (v.c v.s).
template <class T>
struct AffineColumns {
  using C = Compute<T>;
  static SL_INLINE void Run(const T* x, int64_t n, const C* from,
                            const C* scale, const C* shift, T* y) {
    SL_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      C d = static_cast<C>(x[i]) - from[i];
      y[i] = static_cast<T>(MulAdd(d, scale[i], shift[i]));
    }
  }
};

// Rows of x through one affine per column; `affine(c)` is that of a channel.
template <class T, class F>
void WriteColumns(KernelContext& ctx, const ChannelView& v, const T* x,
                  Compute<T>* scratch, F affine) {
  using C = Compute<T>;
  int64_t width = v.c * v.s;
  C *from = scratch, *scale = from + width, *shift = scale + width;
  for (int64_t c = 0; c < v.c; ++c) {
    Affine<C> a = affine(c);
    std::fill_n(from + c * v.s, v.s, a.from);
    std::fill_n(scale + c * v.s, v.s, a.scale);
    std::fill_n(shift + c * v.s, v.s, a.shift);
  }
  T* y = ctx.out(0).mutable_data<T>();
  ParallelFor(ctx.step().pool, v.n, kChannelGrain / width + 1,
              [&](int64_t begin, int64_t end) {
                for (int64_t r = begin; r < end; ++r) {
                  isa::Call<AffineColumns<T>>(
                      x + r * width, width, static_cast<const C*>(from),
                      static_cast<const C*>(scale),
                      static_cast<const C*>(shift), y + r * width);
                }
                ctx.Finish(begin * width, (end - begin) * width);
              });
}

template <class T>
void Train(KernelContext& ctx, const ChannelView& v) {
  using C = Compute<T>;
  const T* x = ctx.in(0).data<T>();
  T* y = ctx.out(0).mutable_data<T>();
  C* mean = ctx.out(1).mutable_data<C>();
  C* variance = ctx.out(2).mutable_data<C>();
  double epsilon = ctx.attr<double>("epsilon");
  auto* parts = static_cast<Moments*>(ctx.workspace());
  auto affine = [&](int64_t c, const Moments& m) {
    mean[c] = static_cast<C>(m.mean);
    variance[c] = static_cast<C>(m.variance());
    return Affine<C>::Of(m.mean, 1 / std::sqrt(m.variance() + epsilon),
                         Number(ctx.in(1), c), Number(ctx.in(2), c));
  };
  if (!v.runs()) {
    int64_t width = v.c * v.s;
    ColumnMoments(ctx.step().pool, x, v.n, width, parts);
    WriteColumns<T>(ctx, v, x, reinterpret_cast<C*>(parts + width),
                    [&](int64_t c) {
                      Moments all;
                      for (int64_t k = 0; k < v.s; ++k) {
                        all.Join(parts[c * v.s + k]);
                      }
                      return affine(c, all);
                    });
    return;
  }
  auto* affines = reinterpret_cast<Affine<C>*>(parts + v.c * v.chunks());
  ForChannels(
      ctx.step().pool, v, static_cast<int64_t>(sizeof(T)),
      [&](int64_t c, int64_t chunk) {
        Moments m;
        int64_t first = chunk * v.samples_per_chunk();
        int64_t last = std::min(v.n, first + v.samples_per_chunk());
        for (int64_t k = first; k < last; ++k) {
          m.Join(isa::Call<RunMoments<T>>(x + (k * v.c + c) * v.s, v.s));
        }
        parts[c * v.chunks() + chunk] = m;
      },
      [&](int64_t c) {
        Moments all;
        for (int64_t k = 0; k < v.chunks(); ++k) {
          all.Join(parts[c * v.chunks() + k]);
        }
        affines[c] = affine(c, all);
      },
      [&](int64_t c, int64_t k) {
        int64_t at = (k * v.c + c) * v.s;
        isa::Call<AffineRun<T>>(x + at, v.s, affines[c], y + at);
        ctx.Finish(at, v.s);
      });
}

template <class T>
void Infer(KernelContext& ctx, const ChannelView& v) {
  using C = Compute<T>;
  T* y = ctx.out(0).mutable_data<T>();
  double epsilon = ctx.attr<double>("epsilon");
  auto affine = [&](int64_t c) {
    double rstd = 1 / std::sqrt(Number(ctx.in(4), c) + epsilon);
    return Affine<C>::Of(Number(ctx.in(3), c), rstd, Number(ctx.in(1), c),
                         Number(ctx.in(2), c));
  };
  if (!v.runs()) {
    WriteColumns<T>(ctx, v, ctx.in(0).data<T>(),
                    static_cast<C*>(ctx.workspace()), affine);
    return;
  }
  const T* x = ctx.in(0).data<T>();
  ParallelFor(ctx.step().pool, v.n * v.c, kChannelGrain / v.s + 1,
              [&](int64_t begin, int64_t end) {
                for (int64_t t = begin; t < end; ++t) {
                  isa::Call<AffineRun<T>>(x + t * v.s, v.s, affine(t % v.c),
                                          y + t * v.s);
                }
                ctx.Finish(begin * v.s, (end - begin) * v.s);
              });
}

// Input i holds one number for each of x's channels.
Status WantChannels(const ShapeContext& c, int i, const PartialShape& x) {
  SL_RETURN_IF_ERROR(c.WantRank(i, 1));
  if (!c.in(i).rank_known()) return OkStatus();
  PartialShape want({x[1]});
  if (want.CompatibleWith(c.in(i))) return OkStatus();
  return c.Error(StrCat(c.Describe(i), "; wanted shape ", want,
                        ", one number per channel"));
}

}  // namespace

Status batch_norm_shape(ShapeContext& c) {
  SL_RETURN_IF_ERROR(CheckEpsilon(c));
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 2));
  PartialShape x = c.in(0);
  int first = 1;
  if (c.num_outputs() == 3 && c.num_inputs() == 5) {  // dy, x, ...
    Result<PartialShape> merged = MergeShapes(c.in(0), c.in(1));
    if (!merged.ok()) {
      return c.Error(StrCat("shapes differ: ", c.Describe(0), ", ",
                            c.Describe(1), "; wanted equal shapes"));
    }
    SL_RETURN_IF_ERROR(c.WantRankAtLeast(1, 2));
    x = *merged;
    first = 2;
  }
  c.set_out(0, x);
  for (int i = 1; i < c.num_outputs(); ++i) {
    c.set_out(i, PartialShape({x.rank_known() ? x[1] : kUnknownDim}));
  }
  if (!x.rank_known()) return OkStatus();
  for (int i = first; i < c.num_inputs(); ++i) {
    SL_RETURN_IF_ERROR(WantChannels(c, i, x));
  }
  return OkStatus();
}

Status batch_norm_kernel(KernelContext& ctx) {
  ChannelView v(ctx.in(0).shape());
  DispatchFloats(ctx.in(0).dtype(), [&]<class T>() {
    if (v.empty()) {
      // Without elements, mean and variance are 0.
      for (int i : {1, 2}) {
        std::fill_n(ctx.out(i).mutable_data<Compute<T>>(), v.c, Compute<T>(0));
      }
    } else {
      Train<T>(ctx, v);
    }
  });
  return OkStatus();
}

Status batch_norm_inference_kernel(KernelContext& ctx) {
  ChannelView v(ctx.in(0).shape());
  if (v.empty()) return OkStatus();
  DispatchFloats(ctx.in(0).dtype(), [&]<class T>() { Infer<T>(ctx, v); });
  return OkStatus();
}

int64_t batch_norm_workspace(const ShapeContext& c) {
  ChannelView v(c.in(0).ToShape());
  if (v.empty()) return 0;
  // The maximum storage per channel or column and for each of its chunks, here
  // and in the gradient: twelve doubles.
  constexpr int64_t kBytes = 12 * 8;
  return v.runs() ? v.c * (v.chunks() + 1) * kBytes : v.c * v.s * kBytes;
}

}  // namespace sluice
