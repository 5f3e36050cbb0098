// DrawAgain: random ops in a copy of a loop body draw the same numbers as those
// in the original, because they are given the iteration they represent.
//
// The caller holds the graph's lock.
#pragma once

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// Whether anything in the region draws numbers that depend on the iteration.
bool DrawsHere(const Region& region);

// Gives the random ops of `region` and of nested regions the tag of the
// iteration that the region represents; the tag is a value visible there.
// Error: a call draws.
Status DrawAgain(Graph& graph, Region& region, Value tag);

// The tag of iteration `iteration` of a loop whose own tag is `parent`,
// computed at the start of `region`.
Result<Value> TagAtTop(Graph& graph, Region& region, const Node& loop,
                       Value parent, Value iteration);

}  // namespace sluice
