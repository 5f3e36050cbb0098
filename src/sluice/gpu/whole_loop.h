// A whole loop as the source of one kernel: each thread goes round by itself,
// with what is carried in its registers. Possible where every node of condition
// and body is elementwise, over one shape and single numbers: then no thread
// needs what another computes, and each computes the single numbers, and with
// them the condition, for itself. An iteration costs as long as its arithmetic
// takes, some nanoseconds, instead of launches.
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
  // Empty: the loop is none of these.
  std::string source;
  Shape space;
  // What it reads from outside apart from literals, in order. Its outputs are
  // what the loop carries, and the number of iterations if it counts.
  std::vector<FusedInput> inputs;
  std::string label;
};

// REQUIRES: a loop of static types with a condition.
WholeLoop WriteWholeLoop(const Node& loop);
// Only that part of it, which counts.
WholeLoop WriteCountingPart(const Node& loop, const CountingPart& part);

}  // namespace sluice
