// CountedLoop: recognizes loops of the form `i = start; while (i < end) ++i`.
// Plain functions; the graph must not change during a call.
#pragma once

#include <optional>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

struct CountedLoop {
  int counter = 0;  // index of the carried value that counts
  int64_t start = 0;
  Value end;  // an outer value, or a constant in the condition
  // True if nothing else ends the loop earlier.
  bool exact = false;
  // The iteration count, bounded by `maximum`, if `end` is a constant and
  // `start` is not negative; else -1.
  int64_t trips = -1;
};

// Empty if the loop does not count in this way. The counter starts at a
// constant and increases by one; the condition is i < end, alone or combined by
// "and" with others.
std::optional<CountedLoop> FindCounter(const Node& loop);

// True if the loop surely terminates: it is counted or bounded.
bool SurelyEnds(const Node& loop);

}  // namespace sluice
