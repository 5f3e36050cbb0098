#include "sluice/nn/conv_transpose.h"

#include "sluice/nn/channels.h"
#include "sluice/nn/checks.h"

namespace sluice::nn {

ConvTranspose::ConvTranspose(size_t axes, std::string_view type,
                             int64_t in_channels, int64_t out_channels,
                             const PerAxis& kernel_size,
                             const ConvTransposeOptions& options, Where where)
    : axes_(axes),
      in_channels_(in_channels),
      out_channels_(out_channels),
      kernel_(kernel_size.Of(axes, 1, StrCat(type, ": kernel_size"))),
      options_(options) {
  auto each = [&](PerAxis& sizes, int64_t least, std::string_view what) {
    sizes = sizes.Of(axes, least, StrCat(type, ": ", what));
  };
  each(options_.stride, 1, "stride");
  each(options_.padding, 0, "padding");
  each(options_.output_padding, 0, "output_padding");
  each(options_.dilation, 1, "dilation");
  for (size_t i = 0; i < axes; ++i) {
    SL_WANT(options_.output_padding[i] <
                std::max(options_.stride[i], options_.dilation[i]),
            where, type, ": output_padding is ", options_.output_padding,
            "; wanted less than stride ", options_.stride, " or dilation ",
            options_.dilation);
  }
  CheckGroups(type, in_channels, out_channels, options.groups, where);
  std::vector<int64_t> shape{in_channels, out_channels / options.groups};
  shape.insert(shape.end(), kernel_.sizes().begin(), kernel_.sizes().end());
  AddFilters(*this, shape, out_channels, options.bias, options.dtype, &weight,
             &bias);
}

Tensor ConvTranspose::forward(Tensor x) {
  CheckChannels(*this, x, static_cast<int>(axes_), in_channels_, line());
  return TransposeConvolved(axes_, x, weight, bias,
                            {.strides = options_.stride.sizes(),
                             .padding = options_.padding.sizes(),
                             .dilation = options_.dilation.sizes(),
                             .output_padding = options_.output_padding.sizes(),
                             .groups = options_.groups},
                            line());
}

std::string ConvTranspose::extra_repr() const {
  std::string text =
      StrCat(in_channels_, ", ", out_channels_, ", kernel_size=", kernel_);
  auto mention = [&](std::string_view name, const PerAxis& sizes, int usual) {
    if (!sizes.all(usual)) StrAppend(text, ", ", name, "=", sizes);
  };
  mention("stride", options_.stride, 1);
  mention("padding", options_.padding, 0);
  mention("output_padding", options_.output_padding, 0);
  mention("dilation", options_.dilation, 1);
  if (options_.groups != 1) StrAppend(text, ", groups=", options_.groups);
  if (!bias.defined()) text += ", bias=false";
  return text;
}

}  // namespace sluice::nn
