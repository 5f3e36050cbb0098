// Transposed convolutions: what the gradient of a convolution does to its
// input, with kernels of its own. They make images larger by their stride.
#pragma once

#include "sluice/nn/module.h"
#include "sluice/nn/per_axis.h"

namespace sluice::nn {

struct ConvTransposeOptions {
  PerAxis stride = 1;
  PerAxis padding = 0;         // taken off both sides of the result
  PerAxis output_padding = 0;  // added behind, less than stride or dilation
  int64_t groups = 1;
  bool bias = true;
  PerAxis dilation = 1;
  DType dtype = DType::kF32;
};

class ConvTranspose : public Module {
 public:
  Tensor forward(Tensor x) override;
  std::string extra_repr() const override;

  Tensor weight;  // [in_channels, out_channels / groups, kernel...]
  Tensor bias;    // [out_channels]; holds nothing without

 protected:
  ConvTranspose(size_t axes, std::string_view type, int64_t in_channels,
                int64_t out_channels, const PerAxis& kernel_size,
                const ConvTransposeOptions& options, Where where);

 private:
  size_t axes_;
  int64_t in_channels_, out_channels_;
  PerAxis kernel_;
  ConvTransposeOptions options_;
};

class ConvTranspose1d : public ConvTranspose {
 public:
  ConvTranspose1d(int64_t in_channels, int64_t out_channels,
                  const PerAxis& kernel_size,
                  const ConvTransposeOptions& options = {},
                  Where where = Where::current())
      : ConvTranspose(1, "ConvTranspose1d", in_channels, out_channels,
                      kernel_size, options, where) {}
};
class ConvTranspose2d : public ConvTranspose {
 public:
  ConvTranspose2d(int64_t in_channels, int64_t out_channels,
                  const PerAxis& kernel_size,
                  const ConvTransposeOptions& options = {},
                  Where where = Where::current())
      : ConvTranspose(2, "ConvTranspose2d", in_channels, out_channels,
                      kernel_size, options, where) {}
};
class ConvTranspose3d : public ConvTranspose {
 public:
  ConvTranspose3d(int64_t in_channels, int64_t out_channels,
                  const PerAxis& kernel_size,
                  const ConvTransposeOptions& options = {},
                  Where where = Where::current())
      : ConvTranspose(3, "ConvTranspose3d", in_channels, out_channels,
                      kernel_size, options, where) {}
};

}  // namespace sluice::nn
