// RaiseBeside: adds conditionals and loops beside an equivalent set of
// primitives. The primitives stay, for fetches by name. Each value that leaves
// them gets a stand-in, which all other nodes read from then on, so nothing
// runs twice.
//
// The caller holds the graph's lock.
#pragma once

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/passes/raw_parts.h"

namespace sluice {

// Errors: primitives that are not of the regular form (raise_control_flow.h),
// or an effect among them. In any case the graph computes the same as before.
Status RaiseBeside(Graph& graph, Region& region, const RawPart& part);

// Whether all values that leave the part already have stand-ins.
bool RaisedBeside(const Graph& graph, const RawPart& part);

// The stand-in of a value of primitives; empty if there is none.
Value RaisedStandIn(const Graph& graph, const Value& v);

}  // namespace sluice
