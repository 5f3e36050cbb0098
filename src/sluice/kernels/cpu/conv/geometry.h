// The sizes of one convolution, the same for the forward pass, both gradients
// and the transposed convolution: `in` and `x` always refer to the input of the
// forward pass, `out` and `y` to its output. One to three spatial axes are
// right-aligned to three; missing ones have size and kernel 1. Plain values.
#pragma once

#include <cstdint>

#include "sluice/op/attr.h"

namespace sluice {

inline constexpr int kConvAxes = 3;
using ConvAxes = int64_t[kConvAxes];

struct ConvGeometry {
  int64_t batch = 0, groups = 1;
  int64_t in_channels = 0, out_channels = 0;  // of one group
  ConvAxes in = {1, 1, 1}, out = {1, 1, 1}, kernel = {1, 1, 1};
  ConvAxes stride = {1, 1, 1}, dilation = {1, 1, 1};
  ConvAxes pad = {0, 0, 0};  // before the first element

  int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
  int64_t in_pixels() const { return in[0] * in[1] * in[2]; }
  int64_t out_pixels() const { return out[0] * out[1] * out[2]; }
};

// REQUIRES: shapes and attributes accepted by a convolution's shape function.
ConvGeometry MakeConvGeometry(const Attrs& attrs, const Shape& x,
                              const Shape& w, const Shape& y);

// The common form of the gradients and the forward pass:
//
//   y[r][q] = sum over c, t of w(r, c, t) * x[c][q * stride + t * dilation -
//   pad]
//
// for every image and group, with x zero outside of its sizes. pad may be
// negative. w(r, c, t) is at group * w_group + r * w_row + c * w_channel + t; t
// counts backwards if `flip` is set.
struct Correlation {
  int64_t batch, groups;
  int64_t channels, rows;  // of one group
  ConvAxes in, out, kernel, stride, dilation, pad;
  int64_t w_group, w_row, w_channel;
  bool flip;

  int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
  int64_t depth() const { return channels * taps(); }
  int64_t in_pixels() const { return in[0] * in[1] * in[2]; }
  int64_t out_pixels() const { return out[0] * out[1] * out[2]; }
};

Correlation ForwardCorrelation(const ConvGeometry& g);
// The gradient of the input: y's gradient correlated with the flipped kernel.
// REQUIRES: stride 1 on every axis.
Correlation InputGradCorrelation(const ConvGeometry& g);

}  // namespace sluice
