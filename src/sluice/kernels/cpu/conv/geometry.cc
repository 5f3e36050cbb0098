#include "sluice/kernels/cpu/conv/geometry.h"

#include <algorithm>

#include "sluice/kernels/cpu/conv/conv_attrs.h"

namespace sluice {

ConvGeometry MakeConvGeometry(const Attrs& attrs, const Shape& x,
                              const Shape& w, const Shape& y) {
  ConvGeometry g;
  int axes = x.rank() - 2;
  ConvWindow window = ConvWindowOf(attrs, axes);
  g.batch = x.dim(0);
  g.groups = attrs.get<int64_t>("groups");
  g.in_channels = w.dim(1);
  g.out_channels = w.dim(0) / g.groups;
  for (int i = 0; i < axes; ++i) {
    int to = kConvAxes - axes + i;
    g.in[to] = x.dim(2 + i);
    g.out[to] = y.dim(2 + i);
    g.kernel[to] = w.dim(2 + i);
    g.stride[to] = window.stride[i];
    g.dilation[to] = window.dilation[i];
    g.pad[to] = window.pad_before[i];
  }
  return g;
}

Correlation ForwardCorrelation(const ConvGeometry& g) {
  Correlation c;
  c.batch = g.batch;
  c.groups = g.groups;
  c.channels = g.in_channels;
  c.rows = g.out_channels;
  std::copy_n(g.in, kConvAxes, c.in);
  std::copy_n(g.out, kConvAxes, c.out);
  std::copy_n(g.kernel, kConvAxes, c.kernel);
  std::copy_n(g.stride, kConvAxes, c.stride);
  std::copy_n(g.dilation, kConvAxes, c.dilation);
  std::copy_n(g.pad, kConvAxes, c.pad);
  c.w_channel = g.taps();
  c.w_row = g.in_channels * c.w_channel;
  c.w_group = g.out_channels * c.w_row;
  c.flip = false;
  return c;
}

Correlation InputGradCorrelation(const ConvGeometry& g) {
  Correlation c = ForwardCorrelation(g);
  std::swap(c.channels, c.rows);
  std::swap(c.w_channel, c.w_row);
  std::swap_ranges(c.in, c.in + kConvAxes, c.out);
  for (int i = 0; i < kConvAxes; ++i) {
    c.pad[i] = (g.kernel[i] - 1) * g.dilation[i] - g.pad[i];
  }
  c.flip = true;
  return c;
}

}  // namespace sluice
