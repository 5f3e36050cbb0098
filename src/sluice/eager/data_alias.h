// The elements of a tensor without its history, as PyTorch's `data`.
//
// Read, it is a tensor over the same elements that gradients take for a
// constant, as detach() gives. Unlike PyTorch's, writes through it are counted:
// backward() refuses what was kept before one, where it would be silently
// wrong.
#pragma once

#include <source_location>

#include "sluice/eager/tensor.h"

namespace sluice {

// Gives a tensor other memory: that of `data`, which both share from then on.
// Its identity, requires_grad, history and gradient stay; views of it stay with
// the old memory. Calls recorded before keep the old elements. Throws for parts
// of graphs, and where gradients could not flow to the new elements as they did
// to the old. While a function is recorded `data` must be of its own making.
void set_data(const Tensor& tensor, const Tensor& data,
              std::source_location where = std::source_location::current());

}  // namespace sluice
