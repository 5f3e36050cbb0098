// Layers as functions of tensors, by PyTorch's names, where <sluice/ops.h> has
// no such: in graphs, in recorded functions and imperatively.
#pragma once

#include <source_location>

#include "sluice/eager/tensor.h"

namespace sluice {

// x weight' + bias along the last axis, of any number of axes. A bias that
// holds nothing is left out.
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
              std::source_location where = std::source_location::current());

// x with a share p of its elements set to 0 and the others divided by 1 - p, in
// training; x itself otherwise.
Tensor dropout(const Tensor& x, double p, bool training,
               std::source_location where = std::source_location::current());

// Axes from `start` to `end` as one.
Tensor flatten(const Tensor& x, int start = 0, int end = -1,
               std::source_location where = std::source_location::current());

}  // namespace sluice
