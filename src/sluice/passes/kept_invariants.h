// A list that a loop keeps for a later one, of which every element is the same
// value: a constant, or one from before the loop. Who reads an element, by an
// index that is surely one of the list's, reads that value instead, and the
// loop need not keep the list.
//
// The loops are those gradients make. The first appends once an iteration to a
// list that was empty, and counts its iterations from 0; the second counts down
// from there to 0 and reads element `left - 1`.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// `notes`, when given, learns what was done, a line each.
Result<bool> ReadKeptInvariants(Graph& graph,
                                std::vector<std::string>* notes = nullptr);

}  // namespace sluice
