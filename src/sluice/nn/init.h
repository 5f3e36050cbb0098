// Initialisers: they fill tensors that are there, in place, without gradients.
//
//   sl::nn::init::kaiming_normal_(conv.weight, {.fan_out = true});
//
// Names and distributions are PyTorch's. Random numbers are those of
// sl::manual_seed. Each returns its tensor.
#pragma once

#include <source_location>
#include <string>

#include "sluice/eager/sizes.h"
#include "sluice/eager/tensor.h"

namespace sluice::nn::init {

using Where = std::source_location;

Tensor uniform_(const Tensor& t, double low = 0, double high = 1,
                Where where = Where::current());
Tensor normal_(const Tensor& t, double mean = 0, double std = 1,
               Where where = Where::current());
// A normal distribution without what is outside of [a, b]. The bounds are
// numbers, not deviations: with a std of 0.02 those of -2 and 2 cut nothing
// off.
Tensor trunc_normal_(const Tensor& t, double mean = 0, double std = 1,
                     double a = -2, double b = 2,
                     Where where = Where::current());
Tensor constant_(const Tensor& t, double value, Where where = Where::current());
Tensor zeros_(const Tensor& t, Where where = Where::current());
Tensor ones_(const Tensor& t, Where where = Where::current());
// Rows (or columns, whichever are fewer) at right angles, of length gain; axes
// after the first are one.
Tensor orthogonal_(const Tensor& t, double gain = 1,
                   Where where = Where::current());

// How many inputs an output is made of, and outputs an input goes into: axes 1
// and 0 of a weight, times those behind. Throws for less than two axes.
struct Fans {
  int64_t in, out;
};
Fans fans(const Tensor& weight);

// So that variances stay the same forward and backward, for tanh and its like.
Tensor xavier_uniform_(const Tensor& t, double gain = 1,
                       Where where = Where::current());
Tensor xavier_normal_(const Tensor& t, double gain = 1,
                      Where where = Where::current());

// So that they stay the same through relu and its like.
struct KaimingOptions {
  double a = 0;  // the slope for negative inputs of leaky_relu
  bool fan_out = false;
  std::string nonlinearity = "leaky_relu";  // as for calculate_gain
};
Tensor kaiming_uniform_(const Tensor& t, const KaimingOptions& options = {},
                        Where where = Where::current());
Tensor kaiming_normal_(const Tensor& t, const KaimingOptions& options = {},
                       Where where = Where::current());
// linear, conv1d.., sigmoid, tanh, relu, leaky_relu, selu. Throws for others.
double calculate_gain(const std::string& nonlinearity, double a = 0.01);

// A new tensor, uniform between -bound and bound: what layers begin with.
Tensor NewUniform(const Sizes& shape, double bound, DType dtype);
Tensor NewNormal(const Sizes& shape, double std, DType dtype);

}  // namespace sluice::nn::init
