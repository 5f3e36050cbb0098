// DrawAgain: random ops of a copied loop body draw what those of the original
// drew: they are told which iteration they stand for.
//
// The caller holds the graph's lock.
#pragma once

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// Whether anything in the region draws for the iteration it runs in.
bool DrawsHere(const Region& region);

// Gives the random ops of `region`, and of those inside it, the tag of the
// iteration the region stands for, a value seen there. Error: a call draws.
Status DrawAgain(Graph& graph, Region& region, Value tag);

// The tag of `iteration` of a loop that stands where `parent` is the tag, at
// the top of `region`.
Result<Value> TagAtTop(Graph& graph, Region& region, const Node& loop,
                       Value parent, Value iteration);

}  // namespace sluice
