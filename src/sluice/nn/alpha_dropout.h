// Dropout for layers behind SELU: means of 0 and variances of 1 stay. In
// graphs, in recorded functions and imperatively.
#pragma once

#include <source_location>

#include "sluice/eager/tensor.h"

namespace sluice {

struct AlphaDropoutOptions {
  double p = 0.5;  // the share that is set aside
  bool training = false;
  // Numbers evenly drawn from [0, 1), of the shape of x, or [batch, channels,
  // 1, ...] for channels; without them new ones, for which the shape of x must
  // be known.
  Tensor drawn{};
};

// In training a share p of the elements is set to what SELU tends to far below
// 0; then all are scaled and moved to mean 0 and variance 1. x itself
// otherwise.
Tensor alpha_dropout(
    const Tensor& x, const AlphaDropoutOptions& options = {},
    std::source_location where = std::source_location::current());
// The same of whole channels [batch, channels, ...].
Tensor feature_alpha_dropout(
    const Tensor& x, const AlphaDropoutOptions& options = {},
    std::source_location where = std::source_location::current());

}  // namespace sluice
