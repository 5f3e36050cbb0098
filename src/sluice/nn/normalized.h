// Normalisation as functions of a layer's tensors: the layers of nn/norms.h and
// nn/batch_norm.h call them, and so does the Python package.
//
// Weights and biases that hold nothing are ones and zeros. Plain functions;
// imperatively, in graphs and in recorded functions.
#pragma once

#include <cstdint>
#include <optional>
#include <source_location>
#include <string_view>
#include <vector>

#include "sluice/eager/tensor.h"
#include "sluice/nn/batch_norm.h"

namespace sluice::nn {

// Whose call it is, for messages: "LayerNorm" of "x", "layer_norm" of "input".
struct NormCall {
  std::string_view function, input;
  std::source_location where = std::source_location::current();
};

// The distance of 1 to the next number of the type.
double MachineEpsilon(DType dtype);

// Over the last axes, whose sizes are given.
Tensor LayerNormalized(const NormCall& call, const Tensor& x,
                       const std::vector<int64_t>& sizes, const Tensor& weight,
                       const Tensor& bias, double eps);
Tensor RmsNormalized(const NormCall& call, const Tensor& x,
                     const std::vector<int64_t>& sizes, const Tensor& weight,
                     double eps);

// Over channels, axis 1, in groups.
Tensor GroupNormalized(const NormCall& call, const Tensor& x, int64_t groups,
                       const Tensor& weight, const Tensor& bias, double eps);

struct InstanceNormArgs {
  Tensor weight{}, bias{};
  RunningStats running{};  // moved, or used without use_input_stats
  bool use_input_stats = true;
  double momentum = 0.1;
  double eps = 1e-5;
};
Tensor InstanceNormalized(const NormCall& call, const Tensor& x,
                          const InstanceNormArgs& args);

struct BatchNormArgs {
  Tensor weight{}, bias{};
  // Without any, those of the batch serve when not in training as well.
  RunningStats running{};
  bool training = false;
  std::optional<double> momentum = 0.1;
  double eps = 1e-5;
};
Tensor BatchNormalized(const NormCall& call, const Tensor& x,
                       const BatchNormArgs& args);

}  // namespace sluice::nn
