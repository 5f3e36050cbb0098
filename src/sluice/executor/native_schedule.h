// The order a region's nodes are emitted in: pure nodes are gathered so that
// those a tape can take stand together, as far as what they wait for allows.
// Nodes with effects, and those that own code, stay where they are.
//
// A plain function, thread safe.
#pragma once

#include <string>
#include <vector>

#include "sluice/executor/native_values.h"
#include "sluice/graph/node.h"

namespace sluice {

// One node, or several for a tape.
struct NativeStretch {
  std::vector<Node*> nodes;
  std::string why;  // why it is on no tape; empty: it is on one
};

// `tapes`: false to keep every node by itself.
std::vector<NativeStretch> ScheduleNative(const Region& region,
                                          const NativeValues& values,
                                          bool tapes);

}  // namespace sluice
