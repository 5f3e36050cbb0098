// Removes unnecessary loop-carried values. A value that the body returns
// unchanged is read from outside instead. A value that feeds only itself, and
// no used output, condition or effect, is removed with all nodes that compute
// it.
//
// A loop that may not terminate keeps at least one used result, because the
// program may rely on waiting for it. One thread; no other sees the graph
// meanwhile.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// `notes`, if not null, receives one line per change.
Result<bool> DropCarriedValues(Graph& graph,
                               std::vector<std::string>* notes = nullptr);

}  // namespace sluice
