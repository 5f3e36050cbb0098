// Calls of recorded code whose results are unused. Run eagerly, they may fail:
//
//   c = a // b        # b may be 0
//   return a + 1
//
// so they stay in the graph, which fails where the code would.
//
// In a branch or a loop, an assertion that always holds reads their results, so
// that code derived from the region, such as its gradient or its batched form,
// keeps them.
//
// Plain functions, while the recording is open, on its thread.
#pragma once

#include <span>
#include <unordered_set>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice::front_internal {

// Called once the region's results are known, for the calls in it. Calls in
// nested regions have been handled. REQUIRES: the graph's lock is held.
void KeepUnusedCalls(Graph& graph, Region& region,
                     const std::unordered_set<int>& calls);

// Of the calls with these ids, those that may fail and that neither `results`
// nor effects need. Returns those in the root. Those in branches and loops
// become targets of their regions, and the list contains the nodes that own
// these regions, unless something else needs them.
std::vector<Node*> UnusedCallsThatMayFail(Graph& graph,
                                          std::span<const Value> results,
                                          const std::unordered_set<int>& calls);

}  // namespace sluice::front_internal
