// A contiguous array viewed from one of its axes as outer x size x inner.
// Kernels that work along an axis loop over these three numbers. A plain value.
#pragma once

#include "sluice/tensor/shape.h"

namespace sluice {

struct AxisView {
  int64_t outer = 1, size = 1, inner = 1;

  // REQUIRES: -rank <= axis < rank.
  AxisView(const Shape& shape, int64_t axis) {
    if (axis < 0) axis += shape.rank();
    for (int i = 0; i < shape.rank(); ++i) {
      (i < axis ? outer : i == axis ? size : inner) *= shape.dim(i);
    }
  }
};

}  // namespace sluice
