// Convolutions and pooling over one, two or three axes, of batches
// [batch, channels, ...] or of one sample [channels, ...].
#include "nn_args.h"
#include "sluice/eager/autocast.h"
#include "sluice/nn/channels.h"
#include "sluice/nn/checks.h"
#include "sluice/nn/pool.h"
#include "sluice/ops.h"

namespace sluice::py {

namespace {

using nn::PerAxis;
using Where = std::source_location;

// x with an axis for the batch, which is taken off the result again.
template <class F>
Tensor Batched(Tensor x, size_t axes, const F& f) {
  if (x.rank() != static_cast<int>(axes) + 1) return f(x);
  return squeeze(f(expand_dims(x, 0)), {.axes = {0}});
}

// Borders before and after each axis; "same" and "valid" are words for them.
std::vector<int64_t> Border(nb::handle padding, size_t axes, nb::handle filters,
                            const Tensor& weight, const PerAxis& stride,
                            const PerAxis& dilation) {
  std::vector<int64_t> border;
  if (!nb::isinstance<nb::str>(padding)) {
    PerAxis each =
        PerAxisArg(padding, "conv(): padding").Of(axes, 0, "conv: padding");
    for (int64_t size : each.sizes()) border.insert(border.end(), 2, size);
    return border;
  }
  auto word = nb::cast<std::string>(padding);
  SL_WANT(word == "same" || word == "valid", Where::current(),
          "conv: padding is \"", word, "\"; wanted numbers, same or valid");
  SL_WANT(word == "valid" || stride.all(1), Where::current(),
          "conv: stride is ", stride, "; wanted 1 with padding same");
  for (size_t i = 0; i < axes; ++i) {
    int64_t more = 0;
    if (word == "same") {
      int64_t kernel = SizeOf(filters, weight, static_cast<int>(i) + 2);
      SL_WANT(kernel >= 0, Where::current(), "conv: the weight is ",
              TypeText(weight.dtype(), weight.shape()),
              "; wanted known sizes with padding same");
      more = dilation[i] * (kernel - 1);
    }
    border.push_back(more / 2);
    border.push_back(more - more / 2);
  }
  return border;
}

// In the type of products, before their types are looked at.
Tensor Lowered(const Tensor& t) {
  return front_internal::Lowered(t, Where::current());
}

void CheckFilters(const Tensor& x, const Tensor& weight, size_t axes) {
  SL_WANT(x.dtype() == weight.dtype(), Where::current(), "conv: input is ",
          TypeText(x.dtype(), x.shape()), "; wanted ",
          DTypeName(weight.dtype()), ", as the weight has");
  SL_WANT(weight.rank() == static_cast<int>(axes) + 2, Where::current(),
          "conv: weight is ", TypeText(weight.dtype(), weight.shape()),
          "; wanted ", axes + 2, " axes");
}

// One number per channel of the result, in its type: another would be spread
// over channels, or change what the convolution of integers gives.
void CheckBias(const Tensor& bias, const Tensor& weight, int64_t channels) {
  if (!bias.defined()) return;
  bool one_each = bias.rank() == 1 &&
                  (bias.dim(0) == channels || bias.dim(0) < 0 || channels < 0);
  SL_WANT(Lowered(bias).dtype() == weight.dtype() && one_each, Where::current(),
          "conv: bias is ", TypeText(bias.dtype(), bias.shape()), "; wanted ",
          TypeText(weight.dtype(), PartialShape{channels}),
          ", one number per channel of the result");
}

Tensor Conv(size_t axes, nb::handle input, nb::handle weight, nb::handle bias,
            nb::handle stride, nb::handle padding, nb::handle dilation,
            int64_t groups, const std::string& padding_mode) {
  Tensor x = Lowered(TensorArg(input, "conv(): input"));
  Tensor w = Lowered(TensorArg(weight, "conv(): weight"));
  Tensor b = OptionalArg(bias, "conv(): bias");
  CheckFilters(x, w, axes);
  CheckBias(b, w, w.dim(0));
  PerAxis steps =
      PerAxisArg(stride, "conv(): stride").Of(axes, 1, "conv: stride");
  PerAxis spread =
      PerAxisArg(dilation, "conv(): dilation").Of(axes, 1, "conv: dilation");
  std::vector<int64_t> border = Border(padding, axes, weight, w, steps, spread);
  // Before anything is computed: other words are refused.
  nn::PadModeName("conv", padding_mode, Where::current());
  LongCall call{x, w};
  return Batched(x, axes, [&](const Tensor& images) {
    return nn::Convolved("conv", axes, images, w, b,
                         {.strides = steps.sizes(),
                          .dilation = spread.sizes(),
                          .border = border,
                          .groups = groups,
                          .padding_mode = padding_mode},
                         Where::current());
  });
}

Tensor ConvTranspose(size_t axes, nb::handle input, nb::handle weight,
                     nb::handle bias, nb::handle stride, nb::handle padding,
                     nb::handle output_padding, int64_t groups,
                     nb::handle dilation) {
  Tensor x = Lowered(TensorArg(input, "conv_transpose(): input"));
  Tensor w = Lowered(TensorArg(weight, "conv_transpose(): weight"));
  Tensor b = OptionalArg(bias, "conv_transpose(): bias");
  CheckFilters(x, w, axes);
  CheckBias(b, w, w.dim(1) < 0 ? kUnknownDim : w.dim(1) * groups);
  auto each = [&](nb::handle sizes, int64_t least, const char* what) {
    return PerAxisArg(sizes, what).Of(axes, least, what).sizes();
  };
  const nn::ConvTransposeArgs args{
      .strides = each(stride, 1, "conv_transpose: stride"),
      .padding = each(padding, 0, "conv_transpose: padding"),
      .dilation = each(dilation, 1, "conv_transpose: dilation"),
      .output_padding =
          each(output_padding, 0, "conv_transpose: output_padding"),
      .groups = groups};
  LongCall call{x, w};
  return Batched(x, axes, [&](const Tensor& images) {
    return nn::TransposeConvolved(axes, images, w, b, args, Where::current());
  });
}

std::optional<PerAxis> Steps(nb::handle stride, std::string_view what) {
  if (stride.is_none()) return std::nullopt;
  PerAxis steps = PerAxisArg(stride, what);
  if (steps.sizes().empty()) return std::nullopt;
  return steps;
}

template <class... Layers>
Tensor OneOf(size_t axes, const Tensor& x, const auto& make) {
  std::function<Tensor(Tensor)> run[] = {[&](Tensor t) {
    return make.template operator()<Layers>().forward(t);
  }...};
  return Batched(x, axes, run[axes - 1]);
}

Tensor MaxPool(size_t axes, nb::handle input, nb::handle kernel_size,
               nb::handle stride, nb::handle padding, nb::handle dilation,
               bool ceil_mode) {
  Tensor x = TensorArg(input, "max_pool(): input");
  PerAxis window = PerAxisArg(kernel_size, "max_pool(): kernel_size");
  nn::MaxPoolOptions options{
      .stride = Steps(stride, "max_pool(): stride"),
      .padding = PerAxisArg(padding, "max_pool(): padding"),
      .dilation = PerAxisArg(dilation, "max_pool(): dilation"),
      .ceil_mode = ceil_mode};
  LongCall call{x};
  return OneOf<nn::MaxPool1d, nn::MaxPool2d, nn::MaxPool3d>(
      axes, x, [&]<class Layer>() { return Layer(window, options); });
}

Tensor AvgPool(size_t axes, nb::handle input, nb::handle kernel_size,
               nb::handle stride, nb::handle padding, bool ceil_mode,
               bool count_include_pad) {
  Tensor x = TensorArg(input, "avg_pool(): input");
  PerAxis window = PerAxisArg(kernel_size, "avg_pool(): kernel_size");
  nn::AvgPoolOptions options{
      .stride = Steps(stride, "avg_pool(): stride"),
      .padding = PerAxisArg(padding, "avg_pool(): padding"),
      .ceil_mode = ceil_mode,
      .count_include_pad = count_include_pad};
  LongCall call{x};
  return OneOf<nn::AvgPool1d, nn::AvgPool2d, nn::AvgPool3d>(
      axes, x, [&]<class Layer>() { return Layer(window, options); });
}

Tensor LpPool(size_t axes, nb::handle input, double norm_type,
              nb::handle kernel_size, nb::handle stride, bool ceil_mode) {
  Tensor x = TensorArg(input, "lp_pool(): input");
  PerAxis window = PerAxisArg(kernel_size, "lp_pool(): kernel_size");
  nn::LpPoolOptions options{.stride = Steps(stride, "lp_pool(): stride"),
                            .ceil_mode = ceil_mode};
  LongCall call{x};
  return Batched(x, axes, [&](const Tensor& images) {
    return nn::lp_pool(axes, images, norm_type, window, options);
  });
}

Tensor AdaptivePool(size_t axes, bool max, nb::handle input,
                    nb::handle output_size) {
  Tensor x = TensorArg(input, "adaptive_pool(): input");
  PerAxis size = PerAxisArg(output_size, "adaptive_pool(): output_size");
  LongCall call{x};
  auto make = [&]<class Layer>() { return Layer(size); };
  if (max) {
    return OneOf<nn::AdaptiveMaxPool1d, nn::AdaptiveMaxPool2d,
                 nn::AdaptiveMaxPool3d>(axes, x, make);
  }
  return OneOf<nn::AdaptiveAvgPool1d, nn::AdaptiveAvgPool2d,
               nn::AdaptiveAvgPool3d>(axes, x, make);
}

}  // namespace

void BindNnImages(nb::module_& m) {
  m.def("nn_conv", &Conv, "axes"_a, "input"_a, "weight"_a, "bias"_a.none(),
        "stride"_a, "padding"_a, "dilation"_a, "groups"_a, "padding_mode"_a);
  m.def("nn_conv_transpose", &ConvTranspose, "axes"_a, "input"_a, "weight"_a,
        "bias"_a.none(), "stride"_a, "padding"_a, "output_padding"_a,
        "groups"_a, "dilation"_a);
  m.def("nn_max_pool", &MaxPool, "axes"_a, "input"_a, "kernel_size"_a,
        "stride"_a.none(), "padding"_a, "dilation"_a, "ceil_mode"_a);
  m.def("nn_avg_pool", &AvgPool, "axes"_a, "input"_a, "kernel_size"_a,
        "stride"_a.none(), "padding"_a, "ceil_mode"_a, "count_include_pad"_a);
  m.def("nn_lp_pool", &LpPool, "axes"_a, "input"_a, "norm_type"_a,
        "kernel_size"_a, "stride"_a.none(), "ceil_mode"_a);
  m.def("nn_adaptive_pool", &AdaptivePool, "axes"_a, "max"_a, "input"_a,
        "output_size"_a);
}

}  // namespace sluice::py
