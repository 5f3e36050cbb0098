// RaiseForGradients: turns primitives of control flow on the paths of gradients
// into conditionals and loops, which have gradients (raise_beside.h).
//
// The caller holds the graph's lock.
#pragma once

#include <span>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// For gradients of `ys` with respect to `xs`; replaces both by their stand-ins.
// Errors: primitives on the way that are not of the regular form
// (raise_control_flow.h) or have effects; an x inside such primitives. In any
// case the graph computes the same as before.
Status RaiseForGradients(Graph& graph, std::vector<Value>& ys,
                         std::vector<Value>& xs);

}  // namespace sluice
