// Convolution the classic way, the opponent of ours: every image unrolled into
// a matrix of patches, then a product by OpenBLAS; images over our threads,
// OpenBLAS with one. NCHW, kernels [out, in, kh, kw], square everything.
#pragma once

#include <cstdint>
#include <vector>

#include "benchmarks/open_blas.h"

namespace sluice::bench {

struct ConvShape {
  const char* name;
  int64_t in_channels, size, out_channels, kernel, stride, pad;

  int64_t out_size() const { return (size + 2 * pad - kernel) / stride + 1; }
  int64_t depth() const { return in_channels * kernel * kernel; }
  int64_t pixels() const { return out_size() * out_size(); }
  int64_t in_elements() const { return in_channels * size * size; }
  int64_t out_elements() const { return out_channels * pixels(); }
  int64_t filter_elements() const { return out_channels * depth(); }
};

class Im2colConv {
 public:
  Im2colConv(const OpenBlas& blas, const ConvShape& shape, int64_t batch);

  void Forward(const float* x, const float* w, float* y);
  void InputGrad(const float* dy, const float* w, float* dx);
  void FilterGrad(const float* x, const float* dy, float* dw);

 private:
  // Of the calling thread: the patches of one image, and a kernel's gradient.
  float* Patches();
  bool direct() const;  // a 1x1 kernel needs no patches

  const OpenBlas& blas_;
  ConvShape s_;
  int64_t batch_;
  std::vector<std::vector<float>> patches_, partial_;
};

}  // namespace sluice::bench
