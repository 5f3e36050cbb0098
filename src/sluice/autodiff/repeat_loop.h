// RepeatLoop: runs some iterations of a loop again, from values it carried, for
// gradients whose residuals were not kept. The copy of the body computes the
// same values: it reads the same state of variables, draws the same random
// numbers, and prints nothing.
//
// The caller holds the graph's lock.
#pragma once

#include <span>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// A loop as it is before its gradient makes it carry more.
struct LoopToRepeat {
  Graph& graph;
  Node& loop;
  int carried;
  std::vector<Node*> nodes;  // of its body
  std::vector<Value> results;

  LoopToRepeat(Graph& graph, Node& loop);
  Region& body() const { return *loop.regions()[1]; }
};

// Error: the body has an effect that must not happen twice; it names the op and
// its line.
Status CheckRepeatable(const LoopToRepeat& loop);

// Appends to `region` the `trips` iterations first, first + 1, ... as a loop
// whose first carried values start as `starts`.
Result<Node*> RepeatLoop(const LoopToRepeat& loop, Region& region,
                         std::span<const Value> starts, Value first,
                         Value trips);

}  // namespace sluice
