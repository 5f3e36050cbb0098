#include "sluice/kernels/cpu/pool/pool_geometry.h"

#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/conv/conv_attrs.h"
#include "sluice/kernels/shape_value.h"

namespace sluice {

namespace {

constexpr int64_t kMaxPadded = int64_t{1} << 48;

bool Flag(const Attrs& attrs, std::string_view name) {
  const AttrValue* value = attrs.find(name);
  return value && value->get<bool>();
}

// The window of a pool: kernel sizes, and strides that default to them.
struct Windows {
  ConvAxes kernel;
  ConvWindow window;
  bool ceil;
};
Windows WindowsOf(const Attrs& attrs, int axes) {
  Windows w;
  w.window = ConvWindowOf(attrs, axes);
  w.ceil = Flag(attrs, "ceil_mode");
  const auto& sizes = attrs.get<std::vector<int64_t>>("kernel_size");
  for (int i = 0; i < axes; ++i) {
    w.kernel[i] = sizes[sizes.size() == 1 ? 0 : static_cast<size_t>(i)];
    if (attrs.get<std::vector<int64_t>>("strides").empty()) {
      w.window.stride[i] = w.kernel[i];
    }
  }
  return w;
}

// Sizes after pooling x, input 0 or a requested shape, as far as they are
// known.
Result<PartialShape> PooledShape(const ShapeContext& c, const PartialShape& x,
                                 int axes, bool input) {
  auto text = [&] { return input ? c.Describe(0) : StrCat("shape is ", x); };
  ConvAxes kernel;
  SL_RETURN_IF_ERROR(ReadAxisList(c, "kernel_size", axes, 0, 1, kernel));
  if (kernel[0] == 0) {
    return c.Error(StrCat("kernel_size is []; wanted at least 1 entry"));
  }
  Result<ConvWindow> checked = CheckConvWindow(c, axes);
  if (!checked.ok()) return checked.status();
  Windows w = WindowsOf(c.attrs(), axes);
  if (x.rank_known() && x.rank() != axes + 2) {
    return c.Error(StrCat(text(), "; wanted rank ", axes + 2));
  }
  int64_t dims[2 + kConvAxes] = {kUnknownDim, kUnknownDim, kUnknownDim,
                                 kUnknownDim, kUnknownDim};
  for (int i = 0; i < axes + 2 && x.rank_known(); ++i) dims[i] = x[i];
  for (int i = 0; i < axes; ++i) {
    int64_t reach, before = w.window.pad_before[i],
                   after = w.window.pad_after[i], size = dims[2 + i];
    if (!KernelExtent(w.kernel[i], w.window.dilation[i], &reach) ||
        reach > kMaxPadded) {
      reach = kMaxPadded;  // no axis is that long
    }
    if (before >= reach || after >= reach) {
      return c.Error(StrCat("padding is ", ListText(c, "padding"),
                            ", kernel_size is ", ListText(c, "kernel_size"),
                            "; wanted padding smaller than the kernel"));
    }
    dims[2 + i] = kUnknownDim;
    if (size < 0) continue;
    int64_t padded = size + before + after;  // each at most 2^48
    if (reach > padded) {
      return c.Error(StrCat("kernel does not fit: ", text(),
                            ", kernel_size is ", ListText(c, "kernel_size"),
                            "; wanted (kernel - 1) * dilation + 1 <= padded "
                            "size, ",
                            padded, " on axis ", 2 + i));
    }
    int64_t stride = w.window.stride[i], room = padded - reach;
    int64_t out = room / stride + 1;
    // A window more for the rest, unless it starts behind the elements.
    if (w.ceil && room % stride != 0 && stride < size + before &&
        out * stride < size + before) {
      ++out;
    }
    dims[2 + i] = out;
  }
  return MakeOutShape(c, {dims, static_cast<size_t>(axes) + 2});
}

Status CheckPooled(const ShapeContext& c, int input, const PartialShape& want,
                   int axes) {
  SL_RETURN_IF_ERROR(c.WantRank(input, axes + 2));
  if (c.in(input).CompatibleWith(want)) return OkStatus();
  return c.Error(StrCat(c.Describe(input), "; wanted ", want));
}

// dy must be x with other spatial sizes, and not be empty where x is not.
Status CheckAdapted(const ShapeContext& c, const PartialShape& x, int input,
                    int axes) {
  SL_RETURN_IF_ERROR(c.WantRank(input, axes + 2));
  if (x.rank_known() && x.rank() != axes + 2) {
    return c.Error(StrCat("shape is ", x, "; wanted rank ", axes + 2));
  }
  if (!x.rank_known() || !c.in(input).rank_known()) return OkStatus();
  PartialShape want = c.in(input);
  for (int i = 0; i < 2; ++i) want.set_dim(i, x[i]);
  for (int i = 2; i < axes + 2; ++i) {
    if (want[i] == 0) want.set_dim(i, 1);
  }
  if (c.in(input).CompatibleWith(want)) return OkStatus();
  return c.Error(StrCat(c.Describe(input), "; wanted ", want));
}

}  // namespace

PoolGeometry MakePoolGeometry(const Attrs& attrs, const Shape& x,
                              const Shape& y) {
  PoolGeometry g;
  int axes = x.rank() - 2;
  g.planes = x.dim(0) * x.dim(1);
  bool adaptive = attrs.find("kernel_size") == nullptr;
  Windows w;
  if (!adaptive) w = WindowsOf(attrs, axes);
  for (int i = 0; i < axes; ++i) {
    PoolAxis& a = g.axis[kConvAxes - axes + i];
    a.in = x.dim(2 + i);
    a.out = y.dim(2 + i);
    a.kernel = 0;
    if (adaptive) continue;
    a.kernel = w.kernel[i];
    a.stride = w.window.stride[i];
    a.dilation = w.window.dilation[i];
    a.pad = w.window.pad_before[i];
    a.pad_after = w.window.pad_after[i];
    a.count_padding = Flag(attrs, "count_include_pad");
  }
  return g;
}

namespace pool_internal {

Status Forward(ShapeContext& c, int axes) {
  SL_ASSIGN_OR_RETURN(PartialShape y, PooledShape(c, c.in(0), axes, true));
  c.set_out(0, y);
  return OkStatus();
}

Status GradFromInput(ShapeContext& c, int axes) {
  SL_ASSIGN_OR_RETURN(PartialShape y, PooledShape(c, c.in(0), axes, true));
  SL_RETURN_IF_ERROR(CheckPooled(c, 1, y, axes));
  c.set_out(0, c.in(0));
  return OkStatus();
}

Status GradFromShape(ShapeContext& c, int axes) {
  SL_ASSIGN_OR_RETURN(PartialShape x, ShapeFromInput(c, 1));
  SL_ASSIGN_OR_RETURN(PartialShape y, PooledShape(c, x, axes, false));
  SL_RETURN_IF_ERROR(CheckPooled(c, 0, y, axes));
  c.set_out(0, x.rank_known() ? x : PartialShape::OfRank(axes + 2));
  return OkStatus();
}

Status Adaptive(ShapeContext& c, int axes) {
  ConvAxes sizes;
  SL_RETURN_IF_ERROR(ReadAxisList(c, "output_size", axes, 0, 1, sizes));
  if (sizes[0] == 0) {
    return c.Error("output_size is []; wanted at least 1 entry");
  }
  SL_RETURN_IF_ERROR(c.WantRank(0, axes + 2));
  int64_t dims[2 + kConvAxes] = {kUnknownDim, kUnknownDim};
  for (int i = 0; i < axes + 2; ++i) {
    int64_t size = c.in(0).rank_known() ? c.in(0)[i] : kUnknownDim;
    dims[i] = i < 2 ? size : sizes[i - 2];
    if (i >= 2 && size == 0) {
      return c.Error(StrCat(c.Describe(0), "; wanted no empty spatial axis"));
    }
  }
  SL_ASSIGN_OR_RETURN(PartialShape y,
                      MakeOutShape(c, {dims, static_cast<size_t>(axes) + 2}));
  c.set_out(0, y);
  return OkStatus();
}

Status WantEqualShapes(const ShapeContext& c) {
  if (c.in(0).CompatibleWith(c.in(1))) return OkStatus();
  return c.Error(StrCat("shapes differ: ", c.Describe(0), ", ", c.Describe(1),
                        "; wanted equal shapes"));
}

Status AdaptiveGradFromInput(ShapeContext& c, int axes) {
  SL_RETURN_IF_ERROR(c.WantRank(0, axes + 2));
  SL_RETURN_IF_ERROR(CheckAdapted(c, c.in(0), 1, axes));
  c.set_out(0, c.in(0));
  return OkStatus();
}

Status AdaptiveGradFromShape(ShapeContext& c, int axes) {
  SL_ASSIGN_OR_RETURN(PartialShape x, ShapeFromInput(c, 1));
  SL_RETURN_IF_ERROR(CheckAdapted(c, x, 0, axes));
  c.set_out(0, x.rank_known() ? x : PartialShape::OfRank(axes + 2));
  return OkStatus();
}

}  // namespace pool_internal

}  // namespace sluice
