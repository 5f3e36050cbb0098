// Small algebra: x * 1 is x, Neg(Neg x) is x, Pow(x, 2) is Square(x), and the
// like; the rules are the table at the end of the .cc file. A rule applies only
// where every element, the sign of zero and NaN included, and the shape stay
// the same whatever is fed, so float sums keep their + 0.0. One exception:
// SumTo to x's own shape is x, though a sum would turn -0.0 into 0.0;
// imperative gradients leave it out as well.
#pragma once

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

Result<bool> SimplifyArithmetic(Graph& graph);

}  // namespace sluice
