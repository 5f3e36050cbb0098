// Compiles an island into a Tape: groups its nodes into loops and launches,
// assigns a location to every value, plans the arena, and records the pointers
// to be patched in each run. A plain function; one thread per call.
#pragma once

#include <memory>
#include <vector>

#include "sluice/tape/fusion.h"
#include "sluice/tape/tape.h"

namespace sluice {

struct TapeOptions {
  FusionOptions fusion;
};

// `nodes`: the island in topological order. `outputs`: the values that are read
// outside.
Result<std::unique_ptr<Tape>> BuildTape(const std::vector<Node*>& nodes,
                                        const std::vector<Value>& outputs,
                                        const TapeOptions& options);

}  // namespace sluice
