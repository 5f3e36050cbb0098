// Graphs from files, for commands that take one.
#pragma once

#include <memory>
#include <string>

#include "sluice/graph/graph.h"

namespace sluice::app {

// Parsed and verified; "-" is standard input. Throws sluice::Error.
std::unique_ptr<Graph> ReadGraph(const std::string& path);

}  // namespace sluice::app
