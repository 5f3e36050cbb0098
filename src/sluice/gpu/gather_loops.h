// Moves short loops with the same code, such as the optimizer updates of small
// parameters, next to each other in the order of groups, so that one launch
// runs them all (GpuCodeBuilder::JoinLoop).
//
// Plain functions; any thread.
#pragma once

#include <vector>

#include "sluice/tape/fusion.h"

namespace sluice {

struct GatheredGroups {
  std::vector<FusionGroup> groups;
  // For each group, the number of its set of such loops; 0: none.
  std::vector<int> set;
};

// `groups`: from FormGroups. The resulting order is also valid for execution. A
// loop over several tensors of one shape is split if there are loops like its
// parts over other shapes.
GatheredGroups GatherLoops(std::vector<FusionGroup> groups);

}  // namespace sluice
