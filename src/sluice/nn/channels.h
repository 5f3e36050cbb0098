// Shared by layers over images [batch, channels, ...].
#pragma once

#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/eager/tensor.h"

namespace sluice::nn {

class Module;

using Where = std::source_location;

// Throws unless x has batch, channels and so many axes, as far as is known.
void CheckImages(const Module& module, const Tensor& x, int axes, Where where);
// And so many channels.
void CheckChannels(const Module& module, const Tensor& x, int axes,
                   int64_t channels, Where where);
// Throws unless groups divide both.
void CheckGroups(std::string_view type, int64_t in_channels,
                 int64_t out_channels, int64_t groups, Where where);

// The weight of a convolution and, if wanted, its bias, as PyTorch begins them:
// axis 1 of the shape and those behind say how many inputs an output has, in
// transposed ones too.
void AddFilters(Module& module, const std::vector<int64_t>& shape,
                int64_t out_channels, bool with_bias, DType dtype,
                Tensor* weight, Tensor* bias);

// y plus one number per channel.
Tensor PlusPerChannel(const Tensor& y, const Tensor& numbers, int axes,
                      Where where);

// Pad's name for PyTorch's padding_mode; "zeros" is "constant". Throws for
// others.
std::string PadModeName(std::string_view type, const std::string& mode,
                        Where where);
// Borders before and after each axis behind the channels.
Tensor PaddedBehindChannels(const Tensor& x, const std::vector<int64_t>& border,
                            const std::string& mode, Where where);

// What a convolution is told beside its tensors, for `axes` axes.
struct ConvArgs {
  std::vector<int64_t> strides, dilation;
  std::vector<int64_t> border;  // before and after each axis
  int64_t groups = 1;
  std::string padding_mode = "zeros";
};
// Images and filters convolved, plus a bias unless it holds nothing. `type` is
// the layer's or function's name, for messages.
Tensor Convolved(std::string_view type, size_t axes, Tensor images,
                 const Tensor& filters, const Tensor& bias,
                 const ConvArgs& args, Where where);

struct ConvTransposeArgs {
  std::vector<int64_t> strides, padding, dilation, output_padding;
  int64_t groups = 1;
};
Tensor TransposeConvolved(size_t axes, const Tensor& images,
                          const Tensor& filters, const Tensor& bias,
                          const ConvTransposeArgs& args, Where where);

}  // namespace sluice::nn
