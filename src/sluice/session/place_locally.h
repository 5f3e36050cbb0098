// Placement of a graph on the devices of this process: every node gets one, and
// copies between them become nodes. Graphs that name no device are left alone,
// and run on the host as if there were nothing else.
//
// Plain functions; for a graph nobody else sees.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "sluice/graph/graph.h"
#include "sluice/tensor/array.h"

namespace sluice {

class OpTimes;

struct LocalPlacement {
  // For nodes that say nothing; empty: the process's (Devices::Default).
  std::string device{};
  // Results are brought to the host; else they stay where they are made.
  bool results_to_host = true;
  // A wish that no kernel can meet falls back to a device that can; off: an
  // error.
  bool soft = true;
  // Nodes without a wish go where a cost model finds the earliest finish.
  bool search = false;
  // What ops took in runs that were traced; null: nothing is known.
  std::shared_ptr<OpTimes> times{};
};

// Whether such a run has to do with any device but the host.
bool ConcernsDevices(const Graph& graph, const LocalPlacement& placement);

// Gives the placement of each node, for `explain`. `feeds`: the graph's
// arguments, which lie where they are; none for those not known yet.
// Errors: as Place.
Result<std::string> PlaceLocally(Graph& graph, std::span<const Array> feeds,
                                 const LocalPlacement& placement);

}  // namespace sluice
