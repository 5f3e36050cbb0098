// An imperative list as part of a graph. Lists cannot be written down as the
// attribute of a Const, which would neither print nor leave the process; so it
// becomes the ops that make it. Internal.
#pragma once

#include "sluice/graph/graph.h"

namespace sluice::front_internal {

// REQUIRES: an array of dtype list; the graph is locked.
Result<Value> AddListConstant(Graph& graph, Region& region, const Array& list,
                              const NodeOptions& options);

}  // namespace sluice::front_internal
