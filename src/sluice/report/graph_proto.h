// GraphDefBytes: a graph in the form TensorBoard's graph tab reads: one entry
// per node, with names by scope, op, inputs, what it waits for ("^x"), device,
// attributes and the shapes of its outputs.
//
// Arguments of regions are nodes of op "Arg", their results one node "Yield",
// below "owner/label"; the owner waits for its Yields. Reads the graph under
// its lock.
#pragma once

#include <string>

namespace sluice {
class Graph;
}

namespace sluice::report {

std::string GraphDefBytes(const Graph& graph);

}  // namespace sluice::report
