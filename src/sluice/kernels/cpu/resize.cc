#include "sluice/kernels/cpu/resize.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/conv/carve.h"
#include "sluice/kernels/cpu/conv/conv_attrs.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/resize_mode.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

namespace {

using resize_places::Coordinates;
using resize_places::CoordinatesOf;
using resize_places::NearestAt;
using resize_places::PlaceBetween;

// One axis: output o is between elements at[o] and at[o] + 1 (or the last one),
// with weight `part[o]`. For nearest neighbours it is element at[o].
template <class C>
struct Axis {
  int64_t in, out;
  int64_t* at;
  C* part;

  int64_t Next(int64_t o) const { return std::min(at[o] + 1, in - 1); }
};

template <class C>
void FillAxis(const Axis<C>& axis, bool nearest, Coordinates how) {
  // Unsigned: no value is negative, and checked products need no library call.
  __extension__ typedef unsigned __int128 Wide;
  for (int64_t o = 0; o < axis.out; ++o) {
    if (nearest) {
      axis.at[o] = NearestAt<Wide>(o, axis.in, axis.out, how);
      axis.part[o] = 0;
    } else {
      double from = PlaceBetween(o, axis.in, axis.out, how);
      axis.at[o] = std::min(static_cast<int64_t>(from), axis.in - 1);
      axis.part[o] = static_cast<C>(from - static_cast<double>(axis.at[o]));
    }
  }
}

// The parts of a launch's workspace.
template <class T>
struct Tables {
  using C = Compute<T>;

  Tables(const Shape& x, const Shape& y, bool gradient, void* workspace) {
    Carve carve(workspace);
    for (int i = 0; i < 2; ++i) {
      Axis<C>& a = axis[i];
      a.in = x.dim(2 + i), a.out = y.dim(2 + i);
      a.at = carve.Take<int64_t>(a.out);
      a.part = carve.Take<C>(a.out);
    }
    if (gradient && !std::is_same_v<T, C>) {
      sums = carve.Take<C>(x.num_elements());
    }
    bytes = carve.bytes();
  }
  void Fill(const Attrs& attrs) {
    nearest = attrs.get<std::string>("mode") == "nearest";
    for (const Axis<C>& a : axis) FillAxis(a, nearest, CoordinatesOf(attrs));
  }

  Axis<C> axis[2];
  bool nearest = false;
  C* sums = nullptr;  // of half-precision gradients
  int64_t bytes;
};

// Columns interpolated between two rows at a time: they stay in the first
// cache.
constexpr int64_t kRow = 4096;

template <class T>
void ResizeRow(const Tables<T>& t, const T* plane, int64_t o, T* y) {
  using C = Compute<T>;
  const Axis<C>&rows = t.axis[0], &columns = t.axis[1];
  const T* top = plane + rows.at[o] * columns.in;
  const int64_t* at = columns.at;
  if (t.nearest) {
    for (int64_t i = 0; i < columns.out; ++i) y[i] = top[at[i]];
    return;
  }
  const T* bottom = plane + rows.Next(o) * columns.in;
  C down = rows.part[o], up = C(1) - down;
  auto across = [&](auto column) {
    for (int64_t i = 0; i < columns.out; ++i) {
      C right = columns.part[i];
      y[i] = static_cast<T>((C(1) - right) * column(at[i]) +
                            right * column(columns.Next(i)));
    }
  };
  if (columns.in > kRow) {
    across([&](int64_t i) {
      return up * static_cast<C>(top[i]) + down * static_cast<C>(bottom[i]);
    });
    return;
  }
  alignas(64) C row[kRow + 1];
  SL_VECTORIZE
  for (int64_t i = 0; i < columns.in; ++i) {
    row[i] = up * static_cast<C>(top[i]) + down * static_cast<C>(bottom[i]);
  }
  row[columns.in] = row[columns.in - 1];  // so that at[i] + 1 always exists
  for (int64_t i = 0; i < columns.out; ++i) {
    C right = columns.part[i];
    const C* pair = row + at[i];
    y[i] = static_cast<T>((C(1) - right) * pair[0] + right * pair[1]);
  }
}

// Adds an output row's gradient to the rows it was computed from.
template <class T>
void SpreadRow(const Tables<T>& t, const T* dy, int64_t o, Compute<T>* plane) {
  using C = Compute<T>;
  const Axis<C>&rows = t.axis[0], &columns = t.axis[1];
  C* top = plane + rows.at[o] * columns.in;
  if (t.nearest) {
    for (int64_t i = 0; i < columns.out; ++i) {
      top[columns.at[i]] += static_cast<C>(dy[i]);
    }
    return;
  }
  C* bottom = plane + rows.Next(o) * columns.in;
  C down = rows.part[o], up = C(1) - down;
  alignas(64) C row[kRow];
  bool whole = columns.in <= kRow;
  if (whole) std::fill(row, row + columns.in, C(0));
  for (int64_t i = 0; i < columns.out; ++i) {
    C right = columns.part[i], g = static_cast<C>(dy[i]);
    int64_t a = columns.at[i], b = columns.Next(i);
    if (whole) {
      row[a] += (C(1) - right) * g;
      row[b] += right * g;
    } else {
      top[a] += up * (C(1) - right) * g;
      top[b] += up * right * g;
      bottom[a] += down * (C(1) - right) * g;
      bottom[b] += down * right * g;
    }
  }
  if (!whole) return;
  // Sequentially: both may be the same row.
  SL_VECTORIZE
  for (int64_t i = 0; i < columns.in; ++i) top[i] += up * row[i];
  SL_VECTORIZE
  for (int64_t i = 0; i < columns.in; ++i) bottom[i] += down * row[i];
}

int64_t Workspace(DType dtype, const PartialShape& x, const PartialShape& y,
                  bool gradient) {
  int64_t bytes = 0;
  DispatchFloats(dtype, [&]<class T>() {
    bytes = Tables<T>(x.ToShape(), y.ToShape(), gradient, nullptr).bytes;
  });
  return bytes;
}

}  // namespace

Status resize_shape(ShapeContext& c) {
  ConvAxes sizes;
  SL_RETURN_IF_ERROR(ReadAxisList(c, "size", 2, 0, 1, sizes));
  if (sizes[0] == 0) return c.Error("size is []; wanted at least 1 entry");
  SL_RETURN_IF_ERROR(c.WantRank(0, 4));
  int64_t dims[4];
  for (int i = 0; i < 4; ++i) {
    int64_t size = c.in(0).rank_known() ? c.in(0)[i] : kUnknownDim;
    dims[i] = i < 2 ? size : sizes[i - 2];
    if (i >= 2 && size == 0) {
      return c.Error(StrCat(c.Describe(0), "; wanted no empty spatial axis"));
    }
  }
  SL_ASSIGN_OR_RETURN(PartialShape y, MakeOutShape(c, dims));
  c.set_out(0, y);
  return OkStatus();
}

Status resize_grad_shape(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 4));
  SL_ASSIGN_OR_RETURN(PartialShape x, ShapeFromInput(c, 1));
  if (!x.rank_known()) {
    c.set_out(0, PartialShape::OfRank(4));
    return OkStatus();
  }
  if (x.rank() != 4) return c.Error(StrCat("shape is ", x, "; wanted rank 4"));
  if (x[2] == 0 || x[3] == 0) {
    return c.Error(StrCat("shape is ", x, "; wanted no empty spatial axis"));
  }
  if (c.in(0).rank_known()) {
    PartialShape want = c.in(0);
    want.set_dim(0, x[0]);
    want.set_dim(1, x[1]);
    for (int i = 2; i < 4; ++i) {
      if (want[i] == 0) want.set_dim(i, 1);
    }
    if (!c.in(0).CompatibleWith(want)) {
      return c.Error(StrCat(c.Describe(0), "; wanted ", want));
    }
  }
  c.set_out(0, x);
  return OkStatus();
}

int64_t resize_workspace(const ShapeContext& c) {
  if (c.out(0).ToShape().num_elements() == 0) return 0;
  return Workspace(c.out_dtype(0), c.in(0), c.out(0), false);
}
int64_t resize_grad_workspace(const ShapeContext& c) {
  if (c.out(0).ToShape().num_elements() == 0) return 0;
  return Workspace(c.out_dtype(0), c.out(0), c.in(0), true);
}

Status resize_kernel(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  if (y.num_elements() == 0) return OkStatus();
  int64_t height = y.dim(2), width = y.dim(3), pixels = x.dim(2) * x.dim(3);
  int64_t rows = y.dim(0) * y.dim(1) * height;
  int64_t grain = std::max<int64_t>(1, 16384 / (width + x.dim(3)));
  DispatchFloats(x.dtype(), [&]<class T>() {
    Tables<T> t(x.shape(), y.shape(), false, ctx.workspace());
    t.Fill(ctx.attrs());
    T* out = y.mutable_data<T>();
    ParallelFor(ctx.step().pool, rows, grain, [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) {
        ResizeRow(t, x.data<T>() + i / height * pixels, i % height,
                  out + i * width);
      }
      ctx.Finish(b * width, (e - b) * width);
    });
  });
  return OkStatus();
}

Status resize_grad_kernel(KernelContext& ctx) {
  const Array &dy = ctx.in(0), &dx = ctx.out(0);
  if (dx.num_elements() == 0) return OkStatus();
  int64_t height = dy.dim(2), width = dy.dim(3);
  int64_t planes = dx.dim(0) * dx.dim(1), pixels = dx.dim(2) * dx.dim(3);
  int64_t grain = std::max<int64_t>(1, 16384 / (pixels + height * width));
  DispatchFloats(dx.dtype(), [&]<class T>() {
    using C = Compute<T>;
    Tables<T> t(dx.shape(), dy.shape(), true, ctx.workspace());
    t.Fill(ctx.attrs());
    ParallelFor(ctx.step().pool, planes, grain, [&](int64_t b, int64_t e) {
      for (int64_t p = b; p < e; ++p) {
        T* to = dx.mutable_data<T>() + p * pixels;
        C* sums;
        if constexpr (std::is_same_v<T, C>) {
          sums = to;
        } else {
          sums = t.sums + p * pixels;
        }
        std::fill(sums, sums + pixels, C(0));
        const T* from = dy.data<T>() + p * height * width;
        for (int64_t o = 0; o < height; ++o) {
          SpreadRow<T>(t, from + o * width, o, sums);
        }
        if constexpr (!std::is_same_v<T, C>) {
          SL_VECTORIZE
          for (int64_t i = 0; i < pixels; ++i) to[i] = static_cast<T>(sums[i]);
        }
      }
      ctx.Finish(b * pixels, (e - b) * pixels);
    });
  });
  return OkStatus();
}

}  // namespace sluice
