#include "sluice/kernels/cpu/group_norm.h"

#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/affine.h"
#include "sluice/kernels/cpu/channel_view.h"
#include "sluice/kernels/cpu/moments.h"
#include "sluice/kernels/cpu/norm_rows.h"
#include "sluice/kernels/shape_value.h"

namespace sluice {

namespace {

// x as n g groups of `channels` runs of s elements.
struct GroupView : ChannelView {
  int64_t groups, channels;
  GroupView(const Shape& shape, const Attrs& attrs) : ChannelView(shape) {
    const AttrValue* given = attrs.find("groups");
    groups = given ? given->get<int64_t>() : c;
    channels = groups == 0 ? 0 : c / groups;
  }
  int64_t size() const { return channels * s; }
  int64_t grain() const { return kChannelGrain / (size() + 1) + 1; }
};

template <class T>
struct GroupForward {
  using C = Compute<T>;
  // One group; scale and offset are those of its first channel.
  static SL_INLINE void Run(const T* x, const T* scale, const T* offset,
                            int64_t channels, int64_t s, double epsilon, T* y,
                            C* mean, C* rstd) {
    Moments m = moments::OfRow(x, channels * s);
    double by = 1 / std::sqrt(m.variance() + epsilon);
    *mean = static_cast<C>(m.mean);
    *rstd = static_cast<C>(by);
    for (int64_t k = 0; k < channels; ++k) {
      AffineRun<T>::Run(
          x + k * s, s,
          Affine<C>::Of(m.mean, by, static_cast<double>(C(scale[k])),
                        static_cast<double>(C(offset[k]))),
          y + k * s);
    }
  }
};

// One group's dx; each channel's sums of dy xhat and dy go to sums[2k], [2k+1].
template <class T>
struct GroupBackward {
  using C = Compute<T>;
  static SL_INLINE void Run(const T* dy, const T* x, const T* scale,
                            int64_t channels, int64_t s, double mean,
                            double rstd, T* dx, double* sums) {
    using L = Lanes<C>;
    Affine<C> a = Affine<C>::Of(mean, rstd);
    double first = 0, second = 0;
    for (int64_t k = 0; k < channels; ++k) {
      double products = 0, total = 0;
      for (int64_t b = k * s; b < (k + 1) * s; b += moments::kBlock) {
        C sum[2];
        moments::Sums(std::min(moments::kBlock, (k + 1) * s - b), sum,
                      [&](int64_t i, int64_t some, L(&acc)[2]) {
                        L g = moments::Take<C>(dy + b + i, some, C(0));
                        L h = moments::Take<C>(x + b + i, some, C(0)) -
                              L::Of(a.from);
                        h = MulAdd(h, L::Of(a.scale), L::Of(a.shift));
                        acc[0] = MulAdd(g, h, acc[0]);
                        acc[1] = acc[1] + g;
                      });
        products += static_cast<double>(sum[0]);
        total += static_cast<double>(sum[1]);
      }
      sums[2 * k] = products;
      sums[2 * k + 1] = total;
      auto by = static_cast<double>(C(scale[k]));
      first += by * total;
      second += by * products;
    }
    auto count = static_cast<double>(channels * s);
    C mean_g = static_cast<C>(first / count);
    C mean_gh = static_cast<C>(second / count);
    for (int64_t k = 0; k < channels; ++k) {
      C by = C(scale[k]);
      SL_VECTORIZE
      for (int64_t i = k * s; i < (k + 1) * s; ++i) {
        C h = a.Apply(static_cast<C>(x[i]));
        C g = MulAdd(static_cast<C>(dy[i]), by, -mean_g);
        dx[i] = static_cast<T>(a.scale * MulAdd(-h, mean_gh, g));
      }
    }
  }
};

Status CheckGroups(const ShapeContext& c, const PartialShape& x) {
  const AttrValue* given = c.attrs().find("groups");
  if (!given || x[1] < 0 || x[1] % given->get<int64_t>() == 0) {
    return OkStatus();
  }
  return c.Error(StrCat("x has ", x[1], " channels; wanted a multiple of ",
                        given->get<int64_t>(), " groups"));
}

// Input i is of this shape.
Status Want(const ShapeContext& c, int i, const PartialShape& want) {
  if (want.CompatibleWith(c.in(i))) return OkStatus();
  return c.Error(StrCat(c.Describe(i), "; wanted shape ", want));
}

Result<PartialShape> GroupShape(const ShapeContext& c, const PartialShape& x) {
  const AttrValue* given = c.attrs().find("groups");
  const int64_t dims[] = {x[0], given ? given->get<int64_t>() : x[1]};
  return MakeOutShape(c, dims);
}

}  // namespace

Status group_norm_shape(ShapeContext& c) {
  SL_RETURN_IF_ERROR(CheckEpsilon(c));
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 2));
  const PartialShape& x = c.in(0);
  c.set_out(0, x);
  if (!x.rank_known()) return OkStatus();
  SL_RETURN_IF_ERROR(CheckGroups(c, x));
  for (int i : {1, 2}) SL_RETURN_IF_ERROR(Want(c, i, PartialShape({x[1]})));
  SL_ASSIGN_OR_RETURN(PartialShape groups, GroupShape(c, x));
  for (int i : {1, 2}) c.set_out(i, groups);
  return OkStatus();
}

Status group_norm_grad_shape(ShapeContext& c) {
  Result<PartialShape> merged = MergeShapes(c.in(0), c.in(1));
  if (!merged.ok()) {
    return c.Error(StrCat("shapes differ: ", c.Describe(0), ", ", c.Describe(1),
                          "; wanted equal shapes"));
  }
  for (int i : {0, 1}) SL_RETURN_IF_ERROR(c.WantRankAtLeast(i, 2));
  const PartialShape& x = *merged;
  c.set_out(0, x);
  if (!x.rank_known()) return OkStatus();
  SL_RETURN_IF_ERROR(CheckGroups(c, x));
  SL_RETURN_IF_ERROR(Want(c, 2, PartialShape({x[1]})));
  SL_ASSIGN_OR_RETURN(PartialShape groups, GroupShape(c, x));
  for (int i : {3, 4}) SL_RETURN_IF_ERROR(Want(c, i, groups));
  for (int i : {1, 2}) c.set_out(i, PartialShape({x[1]}));
  return OkStatus();
}

Status group_norm_kernel(KernelContext& ctx) {
  GroupView v(ctx.in(0).shape(), ctx.attrs());
  double epsilon = ctx.attr<double>("epsilon");
  DispatchFloats(ctx.in(0).dtype(), [&]<class T>() {
    using C = Compute<T>;
    const T *x = ctx.in(0).data<T>(), *scale = ctx.in(1).data<T>(),
            *offset = ctx.in(2).data<T>();
    T* y = ctx.out(0).mutable_data<T>();
    C *mean = ctx.out(1).mutable_data<C>(),
      *rstd = ctx.out(2).mutable_data<C>();
    if (v.size() == 0) {
      // Without elements, mean and variance are 0.
      std::fill_n(mean, ctx.out(1).num_elements(), C(0));
      std::fill_n(rstd, ctx.out(2).num_elements(),
                  static_cast<C>(1 / std::sqrt(epsilon)));
      return;
    }
    ParallelFor(ctx.step().pool, v.n * v.groups, v.grain(),
                [&](int64_t begin, int64_t end) {
                  for (int64_t t = begin; t < end; ++t) {
                    int64_t c = t % v.groups * v.channels, at = t * v.size();
                    isa::Call<GroupForward<T>>(x + at, scale + c, offset + c,
                                               v.channels, v.s, epsilon, y + at,
                                               mean + t, rstd + t);
                    ctx.Finish(at, v.size());
                  }
                });
  });
  return OkStatus();
}

Status group_norm_grad_kernel(KernelContext& ctx) {
  GroupView v(ctx.in(1).shape(), ctx.attrs());
  auto* sums = static_cast<double*>(ctx.workspace());
  DispatchFloats(ctx.in(0).dtype(), [&]<class T>() {
    const T *dy = ctx.in(0).data<T>(), *x = ctx.in(1).data<T>(),
            *scale = ctx.in(2).data<T>();
    T* dx = ctx.out(0).mutable_data<T>();
    if (v.size() > 0) {
      ParallelFor(ctx.step().pool, v.n * v.groups, v.grain(),
                  [&](int64_t begin, int64_t end) {
                    for (int64_t t = begin; t < end; ++t) {
                      int64_t c = t % v.groups * v.channels, at = t * v.size();
                      isa::Call<GroupBackward<T>>(
                          dy + at, x + at, scale + c, v.channels, v.s,
                          Number(ctx.in(3), t), Number(ctx.in(4), t), dx + at,
                          sums + 2 * t * v.channels);
                      ctx.Finish(at, v.size());
                    }
                  });
    }
    for (int k : {0, 1}) {
      T* to = ctx.out(1 + k).mutable_data<T>();
      for (int64_t c = 0; c < v.c; ++c) {
        double sum = 0;
        for (int64_t n = 0; n < v.n && v.s > 0; ++n) {
          sum += sums[2 * (n * v.c + c) + k];
        }
        to[c] = static_cast<T>(static_cast<Compute<T>>(sum));
      }
    }
  });
  return OkStatus();
}

int64_t group_norm_grad_workspace(const ShapeContext& c) {
  ChannelView v(c.in(1).ToShape());
  return v.s == 0 ? 0 : v.n * v.c * 16;
}

}  // namespace sluice
