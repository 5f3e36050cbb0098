#include "sluice/nn/channels.h"

#include <cmath>

#include "sluice/eager/autocast.h"
#include "sluice/eager/call.h"
#include "sluice/nn/checks.h"
#include "sluice/nn/init.h"
#include "sluice/nn/module.h"
#include "sluice/nn/reshape.h"
#include "sluice/op/attr.h"
#include "sluice/ops.h"

namespace sluice::nn {

namespace {

// "[batch, 3, height, width]"
std::string Wanted(int axes, const std::string& channels) {
  static constexpr std::string_view kAxes[] = {
      "", ", length", ", height, width", ", depth, height, width"};
  return StrCat("[batch, ", channels, kAxes[axes], "]");
}

}  // namespace

void CheckImages(const Module& module, const Tensor& x, int axes, Where where) {
  SL_WANT(x.rank() < 0 || x.rank() == axes + 2, where, module.type_name(),
          ": x is ", TypeText(x.dtype(), x.shape()), "; wanted ",
          Wanted(axes, "channels"));
}

void CheckChannels(const Module& module, const Tensor& x, int axes,
                   int64_t channels, Where where) {
  bool fits = x.rank() < 0 ||
              (x.rank() == axes + 2 && (x.dim(1) < 0 || x.dim(1) == channels));
  SL_WANT(fits, where, module.type_name(), ": x is ",
          TypeText(x.dtype(), x.shape()), "; wanted ",
          Wanted(axes, StrCat(channels)));
}

void CheckGroups(std::string_view type, int64_t in_channels,
                 int64_t out_channels, int64_t groups, Where where) {
  SL_WANT(in_channels > 0 && out_channels > 0, where, type, ": in_channels is ",
          in_channels, ", out_channels is ", out_channels,
          "; wanted both positive");
  SL_WANT(groups > 0 && in_channels % groups == 0 && out_channels % groups == 0,
          where, type, ": groups is ", groups, "; wanted it to divide ",
          in_channels, " and ", out_channels, " channels");
}

void AddFilters(Module& module, const std::vector<int64_t>& shape,
                int64_t out_channels, bool with_bias, DType dtype,
                Tensor* weight, Tensor* bias) {
  double fan_in = 1;
  for (size_t i = 1; i < shape.size(); ++i) fan_in *= double(shape[i]);
  double bound = 1 / std::sqrt(fan_in);
  *weight =
      module.add_parameter("weight", init::NewUniform(shape, bound, dtype));
  if (!with_bias) return;
  *bias = module.add_parameter("bias",
                               init::NewUniform({out_channels}, bound, dtype));
}

Tensor PlusPerChannel(const Tensor& y, const Tensor& numbers, int axes,
                      Where where) {
  std::vector<int64_t> shape(static_cast<size_t>(axes) + 1, 1);
  shape[0] = numbers.dim(0);
  Tensor typed = y.dtype() == numbers.dtype()
                     ? numbers
                     : front_internal::Lowered(numbers, where);
  return add(y, reshape(typed, Ints(shape), {}, where), {}, where);
}

std::string PadModeName(std::string_view type, const std::string& mode,
                        Where where) {
  if (mode == "zeros") return "constant";
  if (mode == "replicate") return "edge";
  if (mode == "circular") return "wrap";
  SL_WANT(mode == "reflect", where, type, ": padding_mode is \"", mode,
          "\"; wanted zeros, reflect, replicate or circular");
  return mode;
}

Tensor PaddedBehindChannels(const Tensor& x, const std::vector<int64_t>& border,
                            const std::string& mode, Where where) {
  std::vector<int64_t> all{0, 0, 0, 0};
  all.insert(all.end(), border.begin(), border.end());
  return pad(x, all, {.mode = mode}, {}, where);
}

namespace {

// The op of that name for so many axes, plus a bias.
Tensor CallWithBias(std::string_view op, size_t axes, const Tensor& images,
                    const Tensor& filters, const Tensor& bias,
                    const Attrs& attrs, Where where) {
  const Operand operands[] = {images, filters};
  Tensor y = front_internal::CallOne(StrCat(op, axes, "D"), operands, attrs, {},
                                     where);
  if (!bias.defined()) return y;
  return PlusPerChannel(y, bias, static_cast<int>(axes), where);
}

}  // namespace

Tensor Convolved(std::string_view type, size_t axes, Tensor images,
                 const Tensor& filters, const Tensor& bias,
                 const ConvArgs& args, Where where) {
  const bool padded = args.padding_mode != "zeros";
  if (padded) {
    images = PaddedBehindChannels(images, args.border,
                                  PadModeName(type, args.padding_mode, where),
                                  where);
  }
  return CallWithBias(
      "Conv", axes, images, filters, bias,
      {{"strides", args.strides},
       {"padding", padded ? std::vector<int64_t>{} : args.border},
       {"dilation", args.dilation},
       {"groups", args.groups}},
      where);
}

Tensor TransposeConvolved(size_t axes, const Tensor& images,
                          const Tensor& filters, const Tensor& bias,
                          const ConvTransposeArgs& args, Where where) {
  return CallWithBias("ConvTranspose", axes, images, filters, bias,
                      {{"strides", args.strides},
                       {"padding", args.padding},
                       {"dilation", args.dilation},
                       {"output_padding", args.output_padding},
                       {"groups", args.groups}},
                      where);
}

}  // namespace sluice::nn
