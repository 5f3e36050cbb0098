// TapeBuilder: compiles an island into a Tape: groups its nodes into loops and
// launches, gives every value a place, plans the arena, records what must be
// patched run by run.
#pragma once

#include <memory>
#include <vector>

#include "sluice/tape/fusion.h"
#include "sluice/tape/tape.h"

namespace sluice {

struct TapeOptions {
  FusionOptions fusion;
};

// `nodes`: the island in topological order. `outputs`: the values somebody
// outside reads.
Result<std::unique_ptr<Tape>> BuildTape(const std::vector<Node*>& nodes,
                                        const std::vector<Value>& outputs,
                                        const TapeOptions& options);

}  // namespace sluice
