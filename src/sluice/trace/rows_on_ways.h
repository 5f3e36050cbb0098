// Whether gradients of a table that flow after a call are rows on some way
// through its branches and dense on another: the graph of the gradient gives
// one of the two (autodiff/rows_lost.h).
#pragma once

#include "sluice/graph/graph.h"

namespace sluice::front_internal {

// By what the graph does with `table`, an argument of it, or a copy of one.
// What no gradient flows through in the end counts, too. The caller holds the
// graph's lock.
bool RowsOnSomeWays(const Graph& graph, const Value& table);
// Rows on none, as far as that can be told.
bool DenseOnAllWays(const Graph& graph, const Value& table);

}  // namespace sluice::front_internal
