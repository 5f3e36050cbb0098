// CountedLoop: loops of the form `i = start; while (i < end) ++i`, as far as
// the graph shows it.
#pragma once

#include <optional>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

struct CountedLoop {
  int counter = 0;  // which carried value counts
  int64_t start = 0;
  Value end;  // from outside the loop, or a constant of its condition
  // True when nothing else ends the loop earlier.
  bool exact = false;
  // Iterations when `end` is a constant and `start` is not negative, as bounded
  // by `maximum`; -1 else.
  int64_t trips = -1;
};

// Nothing when the loop counts in another way or not at all. The counter starts
// from a constant and goes up by one; the condition is i < end, alone or among
// others that must hold as well.
std::optional<CountedLoop> FindCounter(const Node& loop);

// True when the loop ends whatever is computed: it is counted or bounded.
bool SurelyEnds(const Node& loop);

}  // namespace sluice
