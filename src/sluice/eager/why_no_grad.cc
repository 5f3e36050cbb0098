// WhyNoEagerGrad (eager/backward.h): the reason that a user is given.
#include <unordered_map>
#include <utility>
#include <vector>

#include "sluice/base/strings.h"
#include "sluice/eager/backward.h"
#include "sluice/eager/eager_value.h"
#include "sluice/eager/tape.h"
#include "sluice/op/carries_gradient.h"

namespace sluice {

std::string WhyNoEagerGrad(const EagerRef& y, const EagerRef& x) {
  if (y == x) return {};
  if (!kDifferentiable.contains(x->dtype())) {
    return StrCat(x->Describe(),
                  ": only floating-point values carry gradients");
  }
  if (!x->tracked()) {
    return StrCat(x->Describe(), ", does not require gradients");
  }
  if (!y->producer) {
    return StrCat(y->Describe(),
                  ", is a leaf: nothing it was made of was recorded");
  }
  // All that y was recorded to be made of.
  std::vector<const TapeNode*> open = {y->producer.get()};
  std::unordered_map<const TapeNode*, bool> seen;
  while (!open.empty()) {
    const TapeNode* node = open.back();
    open.pop_back();
    if (std::exchange(seen[node], true)) continue;
    if (x->producer.get() == node) return {};
    for (const TapeEdge& edge : node->edges) {
      if (edge.leaf == x) return {};
      if (edge.node) open.push_back(edge.node.get());
    }
  }
  return StrCat("no recorded call leads from ", x->Describe(), " to ",
                y->Describe(),
                "; a detach(), a NoGrad or an op without a gradient lies "
                "between, or nothing does");
}

}  // namespace sluice
