#include "sluice/kernels/cpu/conv/conv_shape.h"

#include <algorithm>

#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/conv/conv_attrs.h"
#include "sluice/kernels/shape_value.h"

namespace sluice {

namespace {

// An image with its padding may have this many elements, so that no size the
// kernels compute from it overflows.
constexpr int64_t kMaxPadded = int64_t{1} << 38;

// An operand by name and shape, for messages: an input, or (without a dtype) a
// shape requested by an input.
struct Operand {
  const char* name;
  const PartialShape& shape;
  DType dtype = DType::kInvalid;

  std::string Text() const {
    if (dtype == DType::kInvalid) return StrCat(name, " is ", shape);
    return StrCat(name, " is ", TypeText(dtype, shape));
  }
  int64_t dim(int i) const {
    return shape.rank_known() ? shape[i] : kUnknownDim;
  }
};

Operand Input(const ShapeContext& c, const char* name, int i) {
  return {name, c.in(i), c.in_dtype(i)};
}

Status WantRank(const ShapeContext& c, const Operand& o, int rank) {
  if (!o.shape.rank_known() || o.shape.rank() == rank) return OkStatus();
  return c.Error(StrCat(o.Text(), "; wanted rank ", rank));
}

// Checks of image x and kernel w for every convolution: ranks, channels,
// groups, kernel sizes.
Status CheckOperands(const ShapeContext& c, const Operand& x, const Operand& w,
                     int axes) {
  SL_RETURN_IF_ERROR(WantRank(c, x, axes + 2));
  SL_RETURN_IF_ERROR(WantRank(c, w, axes + 2));
  int64_t groups = c.attr<int64_t>("groups");
  int64_t channels = x.dim(1), per_group = w.dim(1);
  if (channels >= 0 && channels % groups != 0) {
    return c.Error(StrCat(x.Text(), ", groups is ", groups,
                          "; wanted groups to divide the channels"));
  }
  if (channels >= 0 && per_group >= 0 && channels / groups != per_group) {
    return c.Error(StrCat("channels differ: ", x.Text(), ", ", w.Text(),
                          ", groups is ", groups, "; wanted ", x.name,
                          ".dim(1) == groups * ", w.name, ".dim(1)"));
  }
  if (w.dim(0) >= 0 && w.dim(0) % groups != 0) {
    return c.Error(StrCat(w.Text(), ", groups is ", groups,
                          "; wanted groups to divide ", w.name, ".dim(0)"));
  }
  for (int i = 0; i < axes; ++i) {
    if (w.dim(2 + i) != 0) continue;
    return c.Error(StrCat(w.Text(), "; wanted a kernel of size 1 or more"));
  }
  return OkStatus();
}

// Errors: the product of x's channels and padded sizes, where they are known,
// is beyond reason.
Status CheckPadded(const ShapeContext& c, const Operand& x,
                   const ConvWindow& window, int axes) {
  int64_t total = std::max<int64_t>(x.dim(1), 1);
  bool fits = total <= kMaxPadded;
  for (int i = 0; i < axes && fits; ++i) {
    int64_t size = std::max<int64_t>(x.dim(2 + i), 0);
    fits = CheckedAdd(size, window.pad_before[i], &size) &&
           CheckedAdd(size, window.pad_after[i], &size) &&
           CheckedMul(total, std::max<int64_t>(size, 1), &total) &&
           total <= kMaxPadded;
  }
  if (fits) return OkStatus();
  return c.Error(StrCat(x.Text(), ", padding is ", ListText(c, "padding"),
                        "; the padded image has too many elements"));
}

// Sizes of the result of convolving x with w.
Result<PartialShape> ConvolvedShape(const ShapeContext& c, const Operand& x,
                                    const Operand& w, int axes) {
  SL_ASSIGN_OR_RETURN(ConvWindow window, CheckConvWindow(c, axes));
  SL_RETURN_IF_ERROR(CheckOperands(c, x, w, axes));
  SL_RETURN_IF_ERROR(CheckPadded(c, x, window, axes));
  int64_t dims[2 + kConvAxes] = {x.dim(0), w.dim(0)};
  for (int i = 0; i < axes; ++i) {
    int64_t size = x.dim(2 + i), kernel = w.dim(2 + i), extent;
    dims[2 + i] = kUnknownDim;
    if (size < 0 || kernel < 0) continue;
    size += window.pad_before[i] + window.pad_after[i];
    if (!KernelExtent(kernel, window.dilation[i], &extent) || extent > size) {
      return c.Error(StrCat("kernel does not fit: ", x.Text(), ", ", w.Text(),
                            "; wanted (kernel - 1) * dilation + 1 <= padded "
                            "size, ",
                            size, " on axis ", 2 + i));
    }
    dims[2 + i] = (size - extent) / window.stride[i] + 1;
  }
  return MakeOutShape(c, {dims, static_cast<size_t>(axes) + 2});
}

// Errors: y does not have the shape of the convolution's result.
Status CheckConvolved(const ShapeContext& c, const Operand& y,
                      const PartialShape& wanted, int axes) {
  SL_RETURN_IF_ERROR(WantRank(c, y, axes + 2));
  if (y.shape.CompatibleWith(wanted)) return OkStatus();
  return c.Error(StrCat(y.Text(), "; wanted ", wanted));
}

}  // namespace

namespace conv_internal {

Status Forward(ShapeContext& c, int axes) {
  SL_ASSIGN_OR_RETURN(PartialShape y, ConvolvedShape(c, Input(c, "x", 0),
                                                     Input(c, "w", 1), axes));
  c.set_out(0, y);
  return OkStatus();
}

Status Transpose(ShapeContext& c, int axes) {
  Operand x = Input(c, "x", 0), w = Input(c, "w", 1);
  SL_ASSIGN_OR_RETURN(ConvWindow window, CheckConvWindow(c, axes));
  SL_RETURN_IF_ERROR(WantRank(c, x, axes + 2));
  SL_RETURN_IF_ERROR(WantRank(c, w, axes + 2));
  int64_t groups = c.attr<int64_t>("groups");
  if (x.dim(1) >= 0 && w.dim(0) >= 0 && x.dim(1) != w.dim(0)) {
    return c.Error(StrCat("channels differ: ", x.Text(), ", ", w.Text(),
                          "; wanted x.dim(1) == w.dim(0)"));
  }
  int64_t dims[2 + kConvAxes] = {x.dim(0), kUnknownDim};
  if (w.dim(1) >= 0 && !CheckedMul(w.dim(1), groups, &dims[1])) {
    dims[1] = INT64_MAX;  // refused below
  }
  for (int i = 0; i < axes; ++i) {
    int64_t size = x.dim(2 + i), kernel = w.dim(2 + i);
    int64_t extra = window.output_padding[i];
    if (extra >= std::max(window.stride[i], window.dilation[i])) {
      return c.Error(StrCat("output_padding is ", ListText(c, "output_padding"),
                            "; wanted less than the stride or the dilation"));
    }
    dims[2 + i] = kUnknownDim;
    if (size < 0 || kernel < 0) continue;
    // (size - 1) * stride + extent + extra - padding.
    int64_t extent, out;
    if (!CheckedMul(size - 1, window.stride[i], &out) ||
        !KernelExtent(kernel, window.dilation[i], &extent) ||
        !CheckedAdd(out, extent, &out) || !CheckedAdd(out, extra, &out)) {
      out = INT64_MAX;
    } else if (!CheckedAdd(out, -window.pad_before[i], &out) ||
               !CheckedAdd(out, -window.pad_after[i], &out) || out < 0) {
      return c.Error(StrCat("no output on axis ", 2 + i, ": ", x.Text(), ", ",
                            w.Text(), ", padding is ", ListText(c, "padding"),
                            "; wanted less padding"));
    }
    dims[2 + i] = out;
  }
  SL_ASSIGN_OR_RETURN(PartialShape y,
                      MakeOutShape(c, {dims, static_cast<size_t>(axes) + 2}));
  Operand image{"the result", y};
  SL_RETURN_IF_ERROR(CheckOperands(c, image, w, axes));
  SL_RETURN_IF_ERROR(CheckPadded(c, image, window, axes));
  c.set_out(0, y);
  return OkStatus();
}

Status InputGrad(ShapeContext& c, int axes) {
  SL_ASSIGN_OR_RETURN(PartialShape x, ShapeFromInput(c, 2));
  SL_ASSIGN_OR_RETURN(PartialShape y,
                      ConvolvedShape(c, {"shape", x}, Input(c, "w", 1), axes));
  SL_RETURN_IF_ERROR(CheckConvolved(c, Input(c, "dy", 0), y, axes));
  c.set_out(0, x.rank_known() ? x : PartialShape::OfRank(axes + 2));
  return OkStatus();
}

Status FilterGrad(ShapeContext& c, int axes) {
  SL_ASSIGN_OR_RETURN(PartialShape w, ShapeFromInput(c, 2));
  SL_ASSIGN_OR_RETURN(PartialShape y,
                      ConvolvedShape(c, Input(c, "x", 0), {"shape", w}, axes));
  SL_RETURN_IF_ERROR(CheckConvolved(c, Input(c, "dy", 1), y, axes));
  c.set_out(0, w.rank_known() ? w : PartialShape::OfRank(axes + 2));
  return OkStatus();
}

}  // namespace conv_internal

}  // namespace sluice
