// Evaluates pure ops with constant inputs once instead of in every step, and
// ops that read only shapes as soon as the shapes are known. A failing op is
// left alone: its error belongs to the step, with the user's line. One thread;
// no other sees the graph meanwhile.
#pragma once

#include <cstdint>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// Larger results are not kept: recomputing them is cheaper than holding them in
// every plan.
inline constexpr int64_t kMaxConstantBytes = int64_t{10} << 20;

Result<bool> FoldConstants(Graph& graph, int64_t max_bytes = kMaxConstantBytes);

}  // namespace sluice
