// Calls of recorded code whose results nobody needs. Run at once they may fail,
//
//   c = a // b        # b may be 0
//   return a + 1
//
// so they stay in the graph, which fails where the code would.
//
// In a branch or a loop an assertion that always holds reads their results:
// what is made of the region, as its gradient or all lanes of it, keeps that.
//
// Plain functions, while the recording is open, on its thread.
#pragma once

#include <span>
#include <unordered_set>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice::front_internal {

// To be said once the region's results are known, of the calls in it but not in
// regions inside, which are over. REQUIRES: the graph's lock is held.
void KeepUnusedCalls(Graph& graph, Region& region,
                     const std::unordered_set<int>& calls);

// Of the calls with these ids, which neither `results` nor effects need and
// which may fail: those in the root. Those in branches and loops become targets
// of their regions, and the nodes that own them are in the list where nothing
// else needs these.
std::vector<Node*> UnusedCallsThatMayFail(Graph& graph,
                                          std::span<const Value> results,
                                          const std::unordered_set<int>& calls);

}  // namespace sluice::front_internal
