// Algebraic simplification: x * 1 is x, Neg(Neg x) is x, Pow(x, 2) is
// Square(x), and so on, by the identities in the op records (.simplify();
// docs/ops.md lists them). A rule applies only if every element, including the
// sign of zero and NaN, and the shape stay the same for all inputs, so float
// sums keep their + 0.0. One exception: SumTo to x's own shape. One thread; no
// other sees the graph meanwhile.
#pragma once

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

Result<bool> SimplifyArithmetic(Graph& graph);

}  // namespace sluice
