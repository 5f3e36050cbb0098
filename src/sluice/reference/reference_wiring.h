// TokenWiring: the receivers of each node's outputs, for the token rules of the
// reference interpreter. Built from a region once, then read-only.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

struct TokenWiring {
  // Error: a cycle that no NextIteration breaks.
  static Result<TokenWiring> Of(const Region& region);

  const Region* region = nullptr;
  std::vector<Node*> order;  // topological, effects included
  std::unordered_map<const Node*, size_t> position;
  // The values that a node waits for: its inputs, then its regions' captures.
  std::unordered_map<const Node*, std::vector<Value>> operands;
  using Use = std::pair<const Node*, size_t>;  // a node, and which operand
  std::unordered_map<Value, std::vector<Use>, ValueHash> users;
  std::unordered_map<const Node*, std::vector<const Node*>> control_users;
  // Nodes above that access the same resource.
  std::unordered_map<const Node*, std::vector<const Node*>> effects_before;
  std::unordered_map<std::string, int> num_enters;  // by frame
  // The frames in which a node fires and those its outputs go to, outermost
  // first, determined by its first operand.
  using Frames = std::vector<std::string>;
  std::unordered_map<const Node*, Frames> fires_in, gives_to;

  // Whether it is a node of this region, which delivers tokens here.
  bool Inside(const Node* node) const {
    return !node->is_args() && node->region() == region;
  }
};

}  // namespace sluice
