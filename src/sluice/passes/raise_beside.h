// RaiseBeside: a stretch of primitives as conditionals and loops that stand
// beside it. The primitives stay as they are, for whoever fetches them by name;
// each value that leaves them gets a stand-in, which others read from then on,
// so nothing runs twice.
//
// The caller holds the graph's lock.
#pragma once

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/passes/raw_parts.h"

namespace sluice {

// Errors: primitives that are not of the usual form (raise_control_flow.h), an
// effect among them. The graph computes what it did in any case.
Status RaiseBeside(Graph& graph, Region& region, const RawPart& part);

// Whether all that leaves the part has a stand-in already.
bool RaisedBeside(const Graph& graph, const RawPart& part);

// The stand-in of a value of primitives; no value when there is none.
Value RaisedStandIn(const Graph& graph, const Value& v);

}  // namespace sluice
