// Replaces the final count of a loop by a number for readers after the loop, if
// constants determine how often it runs. This also tells, for example, whether
// it ran at all. Readers in other loops keep reading it from the loop, because
// that shows that one loop runs as often as another (kept_invariants.h). One
// thread; no other sees the graph meanwhile.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// `notes`, if not null, receives one line per change.
Result<bool> ReadKnownCounts(Graph& graph,
                             std::vector<std::string>* notes = nullptr);

}  // namespace sluice
