// A check of sizes inside a branch (EnsureShape) that contradicts what is known
// is no error yet: the branch does not run, as that of a gradient whose other
// branch is taken, or the check's kernel refuses. Whoever infers shapes takes
// the shape it states.
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
