// Channels last: arrays of [n, channels, height, width] whose channels lie side
// by side in memory, as tensor cores want them for convolutions. Shapes stay
// what they are; strides tell. A kernel says in its file whether it takes such
// operands, and code for a GPU keeps values so between kernels that do
// (gpu/code_builder.h).
//
//   SL_CHANNELS_LAST(MaxPool2D, {.inputs = 1, .outputs = 1});
#pragma once

#include "sluice/kernels/cuda/said_of_ops.h"
#include "sluice/tensor/array.h"

namespace sluice {

struct ChannelsLast {
  // By bits: operands that may lie so, all of them or none, and results that do
  // if they do.
  uint32_t inputs = 0, outputs = 0;
  // Is quicker that way, so that operands are brought into that order for it.
  bool wanted = false;
  // Takes them as [n * height * width, channels], which is the same then.
  bool as_rows = false;
};

#define SL_CHANNELS_LAST(Op, ...)                                   \
  [[maybe_unused]] const SaidOfOps<ChannelsLast> kChannelsLast##Op( \
      #Op, __VA_ARGS__)

// Axes of one element lie in every order at once.
bool LiesChannelsLast(const Shape& shape, const Strides& strides);
Strides ChannelsLastStrides(const Shape& shape);

}  // namespace sluice
