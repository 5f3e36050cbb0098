// Results whose sizes differ from lane to lane: what a mask selects, what a
// loop has kept of as many iterations as the lane made. They have no axis of
// lanes. But often what is made of them has one size again (a sum, a gradient
// added up by rows), and nothing else reads them: then every lane computes them
// for itself, together with the op that ends the difference.
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sluice/batching/batch_scope.h"

namespace sluice {

// Of the nodes of one region. Lives while the region is batched.
class LaneSizes {
 public:
  explicit LaneSizes(const Region& code) : code_(code) {}

  // Called for an op that runs lane by lane, or a conditional, before anything
  // is emitted for it: whether its results may differ in size from lane to
  // lane, and are left to the ops that end the difference. False: it has to run
  // now, and all lanes have to have the same sizes.
  bool Leave(const Node& node, const BatchScope& scope);
  // Whether the node was left.
  bool left(const Node& node) const { return left_.contains(&node); }
  // The nodes that were left to this one, in program order; empty if none.
  std::vector<const Node*> LeftTo(const Node& node) const;

 private:
  struct Chain;

  const Region& code_;
  std::unordered_set<const Node*> left_, ends_, own_;
};

}  // namespace sluice
