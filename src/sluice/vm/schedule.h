// The order in which the nodes of a region are emitted. Pure nodes that a tape
// can hold are gathered as far as their dependencies allow. Nodes with effects
// and nodes that own regions stay in place.
//
// A plain function, thread safe.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/node.h"
#include "sluice/vm/values.h"

namespace sluice {

// One node, or several for a tape.
struct VmStretch {
  std::vector<Node*> nodes;
  std::string why;  // why it is not on a tape; empty: it is on one
};

// `tapes`: false keeps every node separate.
std::vector<VmStretch> ScheduleBytecode(const Region& region,
                                        const VmValues& values, bool tapes);

}  // namespace sluice
