// RaiseForGradients: control flow written with primitives, where gradients are
// to go through it, as conditionals and loops, which have gradients
// (raise_beside.h).
//
// The caller holds the graph's lock.
#pragma once

#include <span>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// Of the ys with respect to the xs; either become what stands for them now.
// Errors: primitives on the way that are not of the usual form
// (raise_control_flow.h) or have effects, an x that stands among them. The
// graph computes what it did in any case.
Status RaiseForGradients(Graph& graph, std::vector<Value>& ys,
                         std::vector<Value>& xs);

}  // namespace sluice
