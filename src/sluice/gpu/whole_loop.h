// A whole loop as the source of one kernel: each thread runs all iterations,
// with the carried values in registers. This is possible if every node of
// condition and body is elementwise over one shape and scalars. No thread then
// needs results of another, and each computes the scalars, and thus the
// condition, for itself. An iteration costs only its arithmetic, some
// nanoseconds, instead of launches.
//
// Plain functions; any thread.
#pragma once

#include <string>
#include <vector>

#include "sluice/gpu/fused_source.h"
#include "sluice/gpu/loop_split.h"

namespace sluice {

struct WholeLoop {
  // Function "fused", with the arguments of a fused loop (fused_launch.h).
  // Empty if the loop does not qualify.
  std::string source;
  Shape space;
  // Its inputs except literals, in order. Its outputs are the carried values
  // and, if it counts, the number of iterations.
  std::vector<FusedInput> inputs;
  std::string label;
};

// REQUIRES: a loop of static types with a condition.
WholeLoop WriteWholeLoop(const Node& loop);
// The counting part alone.
WholeLoop WriteCountingPart(const Node& loop, const CountingPart& part);

}  // namespace sluice
