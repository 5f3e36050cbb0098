// Hoists input projections. In a loop that reads the slices of X along axis 0
// in order, `read(X, i) @ W` with a loop-invariant W becomes one product of the
// whole X and W before the loop, and a read of its slices. One large product
// replaces many small ones.
//
// Only if all of the product is needed as far as is known: the loop counts up
// by one between constants, has no other exit, and reads at least half of X.
// The size of the result must be bounded. One thread; no other sees the graph
// meanwhile.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// Larger results are not kept during a loop.
inline constexpr int64_t kMaxProjectionBytes = int64_t{64} << 20;

// `same_bits`: only if the large product is known to sum its rows in the order
// of the small ones: f32 and integers, short rows, and not one row times a
// transposed matrix. Otherwise results differ by rounding, within the tolerance
// of MatMul. `notes`, if not null, receives one line for each change and each
// refusal.
Result<bool> HoistProjections(Graph& graph, bool same_bits = true,
                              std::vector<std::string>* notes = nullptr);

}  // namespace sluice
