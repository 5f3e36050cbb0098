// Short loops that do the same on other tensors, the updates of an optimizer's
// small parameters for instance, put next to each other in the order of groups:
// such neighbours become one launch (GpuCodeBuilder::JoinLoop).
//
// Plain functions; any thread.
#pragma once

#include <vector>

#include "sluice/tape/fusion.h"

namespace sluice {

struct GatheredGroups {
  std::vector<FusionGroup> groups;
  // For each group the set of neighbours it is in; 0: none.
  std::vector<int> set;
};

// `groups`: as FormGroups gives them. The order stays one in which they can
// run. A loop over several tensors of one shape is cut where there are loops
// like its parts over other shapes.
GatheredGroups GatherLoops(std::vector<FusionGroup> groups);

}  // namespace sluice
