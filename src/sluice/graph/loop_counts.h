// How often loops run, as far as the graph says so: a number, or as often as
// another loop.
//
// Plain functions over a graph that does not change meanwhile.
#pragma once

#include <cstdint>
#include <optional>

#include "sluice/graph/node.h"

namespace sluice {

struct LoopCount {
  // i = a; while (i < b) i = i + 1, with numbers for a and b, and the like.
  std::optional<int64_t> number;
  // It counts down what this loop has counted up.
  const Node* same_as = nullptr;
};

// REQUIRES: a loop with regions.
LoopCount CountOf(const Node& loop);

}  // namespace sluice
