// Inlines calls of functions that are small or called once and are not
// recursive. An inlined error would no longer name the call, and random numbers
// depend on the call. So a function is inlined only if nothing in it can fail
// or draw random numbers.
//
// Also gives the arguments of a function called once the shapes of that call.
// One thread; no other sees the graph meanwhile.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// `notes`, if not null, receives one line per change.
Result<bool> InlineCalls(Graph& graph,
                         std::vector<std::string>* notes = nullptr);

}  // namespace sluice
