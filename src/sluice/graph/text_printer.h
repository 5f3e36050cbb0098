// PrintGraph: prints a graph as text that ParseGraph parses into an equal
// graph. The form is described in text_parser.h.
#pragma once

#include <string>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

struct PrintOptions {
  // Off for tests and diffs, where they are noise.
  bool types = true;  // result types; without them refined shapes are lost
  bool lines = true;  // @ "file":line
};

std::string PrintGraph(const Graph& graph, PrintOptions options = {});

// One node as a line of that text, for messages and logs.
std::string PrintNode(const Node& node, PrintOptions options = {});

}  // namespace sluice
