// Results whose sizes differ from lane to lane, such as the elements selected
// by a mask, or the values a loop has kept of a lane-dependent number of
// iterations. They cannot have an axis of lanes. Often, however, results
// computed from them have one size again (a sum, a gradient accumulated by
// rows), and nothing else reads them: then every lane computes them separately,
// together with the op that ends the difference.
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sluice/batching/batch_scope.h"

namespace sluice {

// For the nodes of one region. Lives while the region is batched.
class LaneSizes {
 public:
  explicit LaneSizes(const Region& code) : code_(code) {}

  // Called for an op that runs lane by lane, or a conditional, before anything
  // is emitted for it: whether its results may have lane-dependent sizes and
  // are deferred to the ops that end the difference. False: it must run now,
  // with the same sizes in all lanes.
  bool Leave(const Node& node, const BatchScope& scope);
  // Whether the node was deferred.
  bool left(const Node& node) const { return left_.contains(&node); }
  // The nodes deferred to this one, in program order; empty if none.
  std::vector<const Node*> LeftTo(const Node& node) const;

 private:
  struct Chain;

  const Region& code_;
  std::unordered_set<const Node*> left_, ends_, own_;
};

}  // namespace sluice
