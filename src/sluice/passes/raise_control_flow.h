// The raise pass: primitives of the regular form, as control flow written with
// them usually is, become conditionals and loops again, which other passes and
// executors know better. From the inside out, until nothing is regular any
// more; what is left stays for the token machine. Results stay equal to the
// bit; random numbers do, because a While gets the key of its frame's name.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// `notes`, when given, learns what was done, a line each.
Result<bool> RaiseControlFlow(Graph& graph,
                              std::vector<std::string>* notes = nullptr);

}  // namespace sluice
