// A size check inside a branch (EnsureShape) that contradicts known shapes is
// not an error yet: either the branch never runs, such as the gradient of a
// branch not taken, or the check's kernel fails. Shape inference uses the shape
// stated by the check.
#pragma once

#include "sluice/graph/node.h"

namespace sluice {

inline bool CheckedWhenRun(const OpRecord& op, const Region& region) {
  if (op.role != Role::kEnsureShape) return false;
  for (const Node* owner = region.owner(); owner;
       owner = owner->region()->owner()) {
    if (owner->op().flow == Flow::kBranch) return true;
  }
  return false;
}

// REQUIRES: CheckedWhenRun().
inline const PartialShape& StatedShape(const Attrs& attrs) {
  return attrs.get<PartialShape>("shape");
}

}  // namespace sluice
