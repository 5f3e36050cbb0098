#include "sluice/kernels/cuda/channels_last.h"

namespace sluice {

Strides ChannelsLastStrides(const Shape& shape) {
  Strides strides{};
  int64_t step = 1;
  for (int axis : {1, 3, 2, 0}) {
    strides[static_cast<size_t>(axis)] = step;
    step *= shape.dim(axis);
  }
  return strides;
}

bool LiesChannelsLast(const Shape& shape, const Strides& strides) {
  if (shape.rank() != 4) return false;
  Strides want = ChannelsLastStrides(shape);
  for (int axis = 0; axis < 4; ++axis) {
    auto a = static_cast<size_t>(axis);
    if (shape.dim(axis) != 1 && strides[a] != want[a]) return false;
  }
  return true;
}

}  // namespace sluice
