// Gradients do not flow through complex numbers. Where a value was made, by way
// of complex numbers, of one whose gradient is asked for, that gradient would
// lack a part without a word: it is refused instead.
//
// The caller holds the graph's lock.
#pragma once

#include <span>

#include "sluice/base/status.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// `region` is where gradients are computed, and what repeats or calls it is not
// passed through; `stop_at_xs` as in GradientOptions. The error names the op
// that made complex numbers of real ones, and its line.
Status CheckNoComplexWay(const Graph& graph, const Region& region,
                         std::span<const Value> ys, std::span<const Value> xs,
                         bool stop_at_xs);

}  // namespace sluice
