// Small algebra: x * 1 is x, Neg(Neg x) is x, Pow(x, 2) is Square(x), and the
// like, by the identities that the records of the ops say (.simplify();
// docs/ops.md lists them). A rule applies only where every element, the sign of
// zero and NaN included, and the shape stay the same whatever is fed, so float
// sums keep their + 0.0. One exception: SumTo to x's own shape.
#pragma once

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

Result<bool> SimplifyArithmetic(Graph& graph);

}  // namespace sluice
