// The order a region's nodes are emitted in: pure nodes are gathered so that
// those a tape can take stand together, as far as what they wait for allows.
// Nodes with effects, and those that own code, stay where they are.
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
  std::string why;  // why it is on no tape; empty: it is on one
};

// `tapes`: false to keep every node by itself.
std::vector<VmStretch> ScheduleBytecode(const Region& region,
                                        const VmValues& values, bool tapes);

}  // namespace sluice
