// Handles a list that one loop keeps for a later loop and whose elements are
// all the same value: a constant, or a value from before the loop. A read with
// an index that is surely in range is replaced by that value, and the list need
// not be kept.
//
// The loops are those that gradients create. The first appends once per
// iteration to an empty list and counts its iterations from 0. The second
// counts down from that count to 0 and reads element `left - 1`. One thread; no
// other sees the graph meanwhile.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// `notes`, if not null, receives one line per change.
Result<bool> ReadKeptInvariants(Graph& graph,
                                std::vector<std::string>* notes = nullptr);

}  // namespace sluice
