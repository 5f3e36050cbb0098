// Convolutions over one, two or three axes: x [batch, in_channels, ...] gives
// [batch, out_channels, ...].
//
//   sl::nn::Conv2d conv{3, 64, 7, {.stride = 2, .padding = 3}};
#pragma once

#include "sluice/nn/module.h"
#include "sluice/nn/per_axis.h"

namespace sluice::nn {

struct ConvOptions {
  PerAxis stride = 1;
  PerAxis padding = 0;  // on both sides of an axis
  PerAxis dilation = 1;
  int64_t groups = 1;  // divides both numbers of channels
  bool bias = true;
  // What the border shows: zeros, reflect, replicate or circular.
  std::string padding_mode = "zeros";
  // So much border that with stride 1 sizes stay; `padding` is not used.
  bool same_padding = false;
  DType dtype = DType::kF32;
};

class Conv : public Module {
 public:
  Tensor forward(Tensor x) override;
  std::string extra_repr() const override;

  Tensor weight;  // [out_channels, in_channels / groups, kernel...]
  Tensor bias;    // [out_channels]; holds nothing without

 protected:
  Conv(size_t axes, std::string_view type, int64_t in_channels,
       int64_t out_channels, const PerAxis& kernel_size,
       const ConvOptions& options, Where where);

 private:
  size_t axes_;
  int64_t in_channels_, out_channels_;
  PerAxis kernel_;
  ConvOptions options_;
  std::vector<int64_t> border_;  // before and after each axis
};

class Conv1d : public Conv {
 public:
  Conv1d(int64_t in_channels, int64_t out_channels, const PerAxis& kernel_size,
         const ConvOptions& options = {}, Where where = Where::current())
      : Conv(1, "Conv1d", in_channels, out_channels, kernel_size, options,
             where) {}
};
class Conv2d : public Conv {
 public:
  Conv2d(int64_t in_channels, int64_t out_channels, const PerAxis& kernel_size,
         const ConvOptions& options = {}, Where where = Where::current())
      : Conv(2, "Conv2d", in_channels, out_channels, kernel_size, options,
             where) {}
};
class Conv3d : public Conv {
 public:
  Conv3d(int64_t in_channels, int64_t out_channels, const PerAxis& kernel_size,
         const ConvOptions& options = {}, Where where = Where::current())
      : Conv(3, "Conv3d", in_channels, out_channels, kernel_size, options,
             where) {}
};

}  // namespace sluice::nn
