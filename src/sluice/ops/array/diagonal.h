// A diagonal of the matrices in an array's last two axes: the result of
// DiagPart, and the target of its gradient.
#pragma once

#include <algorithm>

#include "sluice/kernels/diagonal_view.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/tensor/array.h"

namespace sluice::diagonal {

// The shape of diagonal k of matrices x. REQUIRES: a known rank of 2 or more.
inline Result<PartialShape> PartShape(const ShapeContext& c,
                                      const PartialShape& x) {
  int64_t rows = x[x.rank() - 2], columns = x[x.rank() - 1];
  Ints dims(x.dims().begin(), x.dims().end() - 1);
  dims.back() = rows >= 0 && columns >= 0
                    ? Length(rows, columns, c.attr<int64_t>("k"))
                    : kUnknownDim;
  return MakeOutShape(c, dims);
}

}  // namespace sluice::diagonal
