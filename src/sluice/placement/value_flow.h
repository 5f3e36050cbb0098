// ValueFlow: numbers the nodes and values of a graph, including regions, and
// lists the edges along which values flow without a node: into the arguments of
// loops and functions, and out as results of branches, loops and calls.
//
// Built once per placement; immutable. The graph must not change meanwhile,
// except for the devices of nodes.
#pragma once

#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

class ValueFlow {
 public:
  explicit ValueFlow(Graph& graph);

  const Region& root() const { return root_; }
  // All nodes: a region op before the nodes of its regions.
  std::span<Node* const> nodes() const { return nodes_; }
  // Value ids are below this.
  int num_values() const { return num_values_; }
  int IdOf(const Value& value) const {
    return FirstOf(*value.node) + value.index;
  }
  // The id of the first output of a node or argument of a region.
  int FirstOf(const Node& node) const {
    if (!node.is_args()) return first_[static_cast<size_t>(node.id())];
    return args_.at(&node);
  }
  // Each array of `from` may become `to`.
  struct Edge {
    Value from, to;
  };
  std::span<const Edge> edges() const { return edges_; }
  std::span<const Node* const> args_nodes() const { return args_nodes_; }
  // The function a call runs; null if unknown.
  static const Node* FunctionOf(const Node& call);

 private:
  void Number(Region& region);
  void Connect(Node& node);

  const Region& root_;
  std::vector<Node*> nodes_;
  std::vector<const Node*> args_nodes_;
  int num_values_ = 0;
  std::vector<int> first_;  // by node id
  std::unordered_map<const Node*, int> args_;
  std::vector<Edge> edges_;
};

// Whether a value refers to something stored elsewhere that does not move: a
// variable, a queue or a list, but not a function.
bool IsHandle(const Value& value);

}  // namespace sluice
