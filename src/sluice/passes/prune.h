// Prune: extracts the part of a user's graph that one run needs, as a separate
// graph.
//
// Argument i of the new root is feed i, result i is fetch i (a value fetched
// twice is two results), and the targets are the nodes to run. Only the nodes
// that fetches and targets need through data and control edges are copied, in
// the user's program order. The search stops at fed edges, so feeding an edge
// removes its producer unless something else needs it.
//
// Linear, and without recursion over nodes: chains of a million nodes are
// common.
#pragma once

#include <memory>
#include <span>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// `feed_types` may be more specific than the types in the graph; empty: the
// types of the values. Error: a feed, fetch or target that is not in the root
// region of `user`, an edge fed twice, a feed of another type, an argument of
// `user` that is needed and not fed, regions that do not fit their node.
// `nodes`, if not null, receives the new node of each copied node. REQUIRES:
// `user` does not change meanwhile.
Result<std::unique_ptr<Graph>> Prune(const Graph& user,
                                     std::span<const Value> feeds,
                                     std::span<const Value> fetches,
                                     std::span<Node* const> targets,
                                     std::span<const ValueType> feed_types = {},
                                     Graph::NodeMap* nodes = nullptr);

}  // namespace sluice
