// GraphDefBytes: a graph in the format of TensorBoard's graph tab: one entry
// per node, with scoped names, op, inputs, control dependencies ("^x"), device,
// attributes and output shapes.
//
// Arguments of regions are nodes of op "Arg", their results one node "Yield",
// named "owner/label"; the owner depends on its Yields. Reads the graph under
// its lock.
#pragma once

#include <string>

namespace sluice {
class Graph;
}

namespace sluice::report {

std::string GraphDefBytes(const Graph& graph);

}  // namespace sluice::report
