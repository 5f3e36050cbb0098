#include "sluice/nn/pool.h"

#include "sluice/eager/call.h"
#include "sluice/eager/operators.h"
#include "sluice/nn/channels.h"
#include "sluice/nn/checks.h"
#include "sluice/nn/functional.h"
#include "sluice/nn/reshape.h"
#include "sluice/op/attr.h"
#include "sluice/ops.h"

namespace sluice::nn {

Pool::Pool(std::string_view type, size_t axes, const PerAxis& kernel_size,
           const MaxPoolOptions& options, Where where)
    : axes_(axes),
      max_(true),
      kernel_(kernel_size.Of(axes, 1, StrCat(type, ": kernel_size"))),
      options_(options) {
  PerAxis& padding = options_.padding;
  options_.stride =
      options.stride.value_or(kernel_).Of(axes, 1, StrCat(type, ": stride"));
  padding = padding.Of(axes, 0, StrCat(type, ": padding"));
  options_.dilation = options_.dilation.Of(axes, 1, StrCat(type, ": dilation"));
  for (size_t i = 0; i < axes; ++i) {
    SL_WANT(2 * padding[i] <= kernel_[i], where, type, ": padding is ", padding,
            "; wanted at most half of kernel_size ", kernel_);
  }
}

Pool::Pool(std::string_view type, size_t axes, const PerAxis& kernel_size,
           const AvgPoolOptions& options, Where where)
    : Pool(type, axes, kernel_size,
           MaxPoolOptions{.stride = options.stride,
                          .padding = options.padding,
                          .ceil_mode = options.ceil_mode},
           where) {
  max_ = false;
  count_include_pad_ = options.count_include_pad;
}

Tensor Pool::forward(Tensor x) {
  CheckImages(*this, x, static_cast<int>(axes_), line());
  Attrs attrs{{"kernel_size", kernel_.sizes()},
              {"strides", options_.stride->sizes()},
              {"padding", options_.padding.sizes()},
              {"ceil_mode", options_.ceil_mode}};
  if (max_) {
    attrs.set("dilation", options_.dilation.sizes());
  } else {
    attrs.set("count_include_pad", count_include_pad_);
  }
  const Operand operands[] = {x};
  return front_internal::CallOne(
      StrCat(max_ ? "MaxPool" : "AvgPool", axes_, "D"), operands, attrs, {},
      line());
}

std::string Pool::extra_repr() const {
  std::string text = StrCat("kernel_size=", kernel_);
  if (*options_.stride != kernel_)
    StrAppend(text, ", stride=", *options_.stride);
  if (!options_.padding.all(0)) StrAppend(text, ", padding=", options_.padding);
  if (!options_.dilation.all(1)) {
    StrAppend(text, ", dilation=", options_.dilation);
  }
  if (options_.ceil_mode) text += ", ceil_mode=true";
  if (!count_include_pad_) text += ", count_include_pad=false";
  return text;
}

Tensor lp_pool(size_t axes, const Tensor& x, double p,
               const PerAxis& kernel_size, const LpPoolOptions& options,
               std::source_location where) {
  SL_WANT(axes >= 1 && axes <= 3, where, "lp_pool: axes is ", axes,
          "; wanted 1, 2 or 3");
  const AvgPoolOptions windows{.stride = options.stride,
                               .ceil_mode = options.ceil_mode};
  Tensor powers = pow(x, p, {}, where);
  Tensor means = axes == 1   ? AvgPool1d(kernel_size, windows).forward(powers)
                 : axes == 2 ? AvgPool2d(kernel_size, windows).forward(powers)
                             : AvgPool3d(kernel_size, windows).forward(powers);
  const PerAxis window = kernel_size.Of(axes, 1, "lp_pool: kernel_size");
  int64_t elements = 1;
  for (int64_t size : window.sizes()) elements *= size;
  Tensor sums = means * static_cast<double>(elements);
  return pow(sums, 1 / p, {}, where);
}

AdaptivePool::AdaptivePool(std::string_view type, size_t axes, bool max,
                           const PerAxis& output_size)
    : axes_(axes),
      max_(max),
      output_(output_size.Of(axes, 1, StrCat(type, ": output_size"))) {}

Tensor AdaptivePool::forward(Tensor x) {
  CheckImages(*this, x, static_cast<int>(axes_), line());
  auto plane = [&](const Tensor& images, int64_t height, int64_t width) {
    std::vector<int64_t> size{height, width};
    return max_ ? adaptive_max_pool2d(images, size, {}, line())
                : adaptive_avg_pool2d(images, size, {}, line());
  };
  if (axes_ == 2) return plane(x, output_[0], output_[1]);
  if (axes_ == 1) {
    if (!max_) return adaptive_avg_pool1d(x, output_.sizes(), {}, line());
    Tensor row = expand_dims(x, 2, {}, line());
    return squeeze(plane(row, 1, output_[0]), {.axes = {2}}, {}, line());
  }
  // Windows are products of stretches of each axis: first the planes, then
  // across them.
  int64_t height = output_[1], width = output_[2];
  Tensor planes = flatten(x, 1, 2, line());
  Tensor small = plane(planes, height, width);
  Tensor across =
      Reshaped(small, {{x, 0}, {x, 1}, {x, 2}, height * width}, line());
  Tensor y = plane(across, output_[0], height * width);
  return Reshaped(y, {{x, 0}, {x, 1}, output_[0], height, width}, line());
}

std::string AdaptivePool::extra_repr() const {
  return StrCat("output_size=", output_);
}

}  // namespace sluice::nn
