// SimulateStep: how long a step over many tasks takes, in virtual time. The
// graph is split as for real processes (partition/split_by_task.h); then every
// task runs its piece by itself, one node after the other as their inputs are
// there, and messages cost what was measured between real processes. So steps
// of more tasks than there are machines can be looked at.
//
// Graphs have loops at the top alone, whose trips are given. A plain function.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sluice/partition/split_by_task.h"

namespace sluice::bench {

// Seconds.
struct StepCosts {
  double op = 0;       // a node that computes next to nothing
  double send = 0;     // of the sender's time
  double receive = 0;  // of the receiver's
  double latency = 0;  // between them
};

struct SimulatedStep {
  double seconds = 0;    // from the master's first call to its last answer
  double loop = 0;       // of that, in loops
  int64_t messages = 0;  // between tasks, without the master's calls
  // Of each task, the time it was at work, with the master's calls.
  std::vector<double> busy;
};

// The first piece is the master's task. REQUIRES: as above.
SimulatedStep SimulateStep(const std::vector<TaskPiece>& pieces, int64_t trips,
                           const StepCosts& costs);

}  // namespace sluice::bench
