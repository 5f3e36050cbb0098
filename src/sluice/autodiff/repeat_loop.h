// RepeatLoop: some iterations of a loop once more, from values it carried, for
// gradients that were not kept what they need. A copy of the body, as often as
// it is told; it computes what the loop computed there: variables are those the
// loop read, random numbers those it drew, and nothing is printed again.
//
// The caller holds the graph's lock.
#pragma once

#include <span>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// What a loop is when its gradient is asked for: later it carries more.
struct LoopToRepeat {
  Graph& graph;
  Node& loop;
  int carried;
  std::vector<Node*> nodes;  // of its body
  std::vector<Value> results;

  LoopToRepeat(Graph& graph, Node& loop);
  Region& body() const { return *loop.regions()[1]; }
};

// Error: the body does something that must not happen twice, naming the op and
// its line.
Status CheckRepeatable(const LoopToRepeat& loop);

// Appends to `region` the iterations first, first + 1, ..., `trips` of them, as
// a loop whose first carried values are `starts`.
Result<Node*> RepeatLoop(const LoopToRepeat& loop, Region& region,
                         std::span<const Value> starts, Value first,
                         Value trips);

}  // namespace sluice
