// Iteration counts of loops, as far as the graph determines them: a number, or
// the count of another loop.
//
// Plain functions over a graph that must not change meanwhile.
#pragma once

#include <cstdint>
#include <optional>

#include "sluice/graph/node.h"

namespace sluice {

struct LoopCount {
  // For i = a; while (i < b) i = i + 1 and similar loops, with constants a and
  // b.
  std::optional<int64_t> number;
  // The loop whose iterations this one counts down.
  const Node* same_as = nullptr;
};

// REQUIRES: a loop with regions.
LoopCount CountOf(const Node& loop);

}  // namespace sluice
