// Conditionals whose choice is a constant become the nodes of the branch that
// is taken. An index that chooses no branch is left alone: its error belongs
// to the step.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// `notes`, when given, learns what was done, a line each.
Result<bool> FoldBranches(Graph& graph,
                          std::vector<std::string>* notes = nullptr);

}  // namespace sluice
