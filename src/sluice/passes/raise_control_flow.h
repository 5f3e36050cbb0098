// Turns primitives of the regular form, as typical control flow uses them, back
// into conditionals and loops, which other passes and executors handle better.
// It works from the inside out until nothing regular is left; the rest stays
// for the token machine. Results stay equal to the bit, and so do random
// numbers, because a While gets the key of its frame's name. One thread; no
// other sees the graph meanwhile.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// `notes`, if not null, receives one line per change.
Result<bool> RaiseControlFlow(Graph& graph,
                              std::vector<std::string>* notes = nullptr);

}  // namespace sluice
