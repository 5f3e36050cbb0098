// Empty shapes: a file of a few bytes may claim to hold billions of empty rows,
// and code that visits them row by row would never finish. Decoders of files
// refuse such shapes.
#pragma once

#include <algorithm>

#include "sluice/tensor/shape.h"

namespace sluice {

inline constexpr int64_t kMostEmptyRows = int64_t{1} << 24;

// Whether a shape has no elements, but far more rows than intended.
inline bool ClaimsMuchOfNothing(const Shape& shape) {
  if (shape.num_elements() > 0) return false;
  int64_t rows = 1;
  for (int64_t d : shape.dims()) {
    rows *= std::max<int64_t>(d, 1);
    if (rows > kMostEmptyRows) return true;
  }
  return false;
}

}  // namespace sluice
