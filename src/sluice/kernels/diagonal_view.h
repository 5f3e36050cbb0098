// A diagonal of the matrices in an array's last two axes, as a view.
//
// Plain functions; any thread.
#pragma once

#include <algorithm>

#include "sluice/kernels/reference.h"
#include "sluice/tensor/array.h"

namespace sluice::diagonal {

// The length of diagonal k of an r x c matrix; 0 if it is outside.
inline int64_t Length(int64_t r, int64_t c, int64_t k) {
  if (k >= c || k <= -r) return 0;
  return std::min(r + std::min<int64_t>(k, 0), c - std::max<int64_t>(k, 0));
}

// Diagonal k of x; false if x has no matrices.
inline bool PartView(const Array& x, int64_t k, Array* view) {
  if (x.rank() < 2) return false;
  auto row = static_cast<size_t>(x.rank() - 2), column = row + 1;
  Ints dims(x.shape().dims().begin(), x.shape().dims().end() - 1);
  dims.back() = Length(x.dim(x.rank() - 2), x.dim(x.rank() - 1), k);
  Result<Shape> shape = Shape::Make(dims);
  if (!shape.ok()) return false;
  Strides strides = x.strides();
  int64_t offset = shape->num_elements() == 0 ? 0
                   : k >= 0                   ? k * strides[column]
                                              : -k * strides[row];
  strides[row] += strides[column];
  strides[column] = 0;
  *view = Array::View(x, offset, *shape, strides);
  return true;
}

}  // namespace sluice::diagonal
