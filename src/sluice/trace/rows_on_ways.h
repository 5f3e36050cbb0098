// Whether gradients of a table, taken after a call, are sparse rows on some
// path through its branches and dense on another: the graph of the gradient
// returns only one of the two (autodiff/rows_lost.h).
#pragma once

#include "sluice/graph/graph.h"

namespace sluice::front_internal {

// Decided by the uses of `table`, an argument of the graph or a copy of one.
// Uses through which no gradient flows in the end count too. The caller holds
// the graph's lock.
bool RowsOnSomeWays(const Graph& graph, const Value& table);
// Whether no path gives rows, as far as that can be determined.
bool DenseOnAllWays(const Graph& graph, const Value& table);

}  // namespace sluice::front_internal
