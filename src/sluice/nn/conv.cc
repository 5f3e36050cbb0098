#include "sluice/nn/conv.h"

#include "sluice/nn/channels.h"
#include "sluice/nn/checks.h"

namespace sluice::nn {

Conv::Conv(size_t axes, std::string_view type, int64_t in_channels,
           int64_t out_channels, const PerAxis& kernel_size,
           const ConvOptions& options, Where where)
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
  each(options_.dilation, 1, "dilation");
  CheckGroups(type, in_channels, out_channels, options.groups, where);
  PadModeName(type, options.padding_mode, where);
  SL_WANT(!options.same_padding || options_.stride.all(1), where, type,
          ": stride is ", options_.stride, "; wanted 1 for same_padding");
  for (size_t i = 0; i < axes; ++i) {
    int64_t more = options_.dilation[i] * (kernel_[i] - 1);
    bool same = options.same_padding;
    border_.push_back(same ? more / 2 : options_.padding[i]);
    border_.push_back(same ? more - more / 2 : options_.padding[i]);
  }
  std::vector<int64_t> shape{out_channels, in_channels / options.groups};
  shape.insert(shape.end(), kernel_.sizes().begin(), kernel_.sizes().end());
  AddFilters(*this, shape, out_channels, options.bias, options.dtype, &weight,
             &bias);
}

Tensor Conv::forward(Tensor x) {
  CheckChannels(*this, x, static_cast<int>(axes_), in_channels_, line());
  return Convolved(type_name(), axes_, std::move(x), weight, bias,
                   {.strides = options_.stride.sizes(),
                    .dilation = options_.dilation.sizes(),
                    .border = border_,
                    .groups = options_.groups,
                    .padding_mode = options_.padding_mode},
                   line());
}

std::string Conv::extra_repr() const {
  std::string text =
      StrCat(in_channels_, ", ", out_channels_, ", kernel_size=", kernel_);
  if (!options_.stride.all(1)) StrAppend(text, ", stride=", options_.stride);
  if (options_.same_padding) {
    text += ", padding=same";
  } else if (!options_.padding.all(0)) {
    StrAppend(text, ", padding=", options_.padding);
  }
  if (!options_.dilation.all(1)) {
    StrAppend(text, ", dilation=", options_.dilation);
  }
  if (options_.groups != 1) StrAppend(text, ", groups=", options_.groups);
  if (!bias.defined()) text += ", bias=false";
  if (options_.padding_mode != "zeros") {
    StrAppend(text, ", padding_mode=", options_.padding_mode);
  }
  return text;
}

}  // namespace sluice::nn
