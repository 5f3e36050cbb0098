// Input projections: in a loop that reads the slices of X along axis 0 one
// after another, `read(X, i) @ W` with a W the loop leaves alone becomes one
// product of all of X and W before the loop, and a read of its slices. Many
// small products are then one large one.
//
// Only where all of that will be needed, as far as can be known: the loop
// counts up by one over constants, ends in no other way, and reads at least
// half of X; and only where the result is of bounded size.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// Larger results are not kept for the time of a loop.
inline constexpr int64_t kMaxProjectionBytes = int64_t{64} << 20;

// `same_bits`: only where the rows of the large product are known to be summed
// in the order of the small ones: f32 and integers, short rows, and not one
// row times a transposed matrix. Elsewhere they differ by rounding, within the
// tolerance MatMul states. `notes`, when given, learns what was done and what
// was not, a line each.
Result<bool> HoistProjections(Graph& graph, bool same_bits = true,
                              std::vector<std::string>* notes = nullptr);

}  // namespace sluice
