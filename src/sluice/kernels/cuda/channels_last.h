// Channels last: arrays of [n, channels, height, width] whose channels are
// adjacent in memory, as tensor cores need them for convolutions. Shapes stay
// the same; the strides differ. A kernel declares in its file whether it
// accepts such operands, and code for a GPU keeps this layout between such
// kernels (gpu/code_builder.h). Declarations are constant after start-up; any
// thread.
//
//   SL_CHANNELS_LAST(MaxPool2D, {.inputs = 1, .outputs = 1});
#pragma once

#include "sluice/kernels/cuda/said_of_ops.h"
#include "sluice/tensor/array.h"

namespace sluice {

struct ChannelsLast {
  // Bit masks: operands that may have this layout, all or none of them, and
  // results that then have it, too.
  uint32_t inputs = 0, outputs = 0;
  // Faster with this layout, so operands are converted to it.
  bool wanted = false;
  // Takes them as [n * height * width, channels], which is equivalent.
  bool as_rows = false;
};

#define SL_CHANNELS_LAST(Op, ...)                                   \
  [[maybe_unused]] const SaidOfOps<ChannelsLast> kChannelsLast##Op( \
      #Op, __VA_ARGS__)

// Axes of size one are in every order at once.
bool LiesChannelsLast(const Shape& shape, const Strides& strides);
Strides ChannelsLastStrides(const Shape& shape);

}  // namespace sluice
