// Calls become the nodes of their function, where that is small or called once
// and does not call itself. An error inside would no longer name the call, and
// random numbers depend on it, so a function is inlined only when nothing in
// it can fail or draw.
//
// Also: the arguments of a function called once have the shapes of that call.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// `notes`, when given, learns what was done, a line each.
Result<bool> InlineCalls(Graph& graph,
                         std::vector<std::string>* notes = nullptr);

}  // namespace sluice
