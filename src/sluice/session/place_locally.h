// Places a graph on the devices of this process: every node gets a device, and
// copies between devices become nodes. Graphs that name no device are left
// alone and run on the host at no extra cost.
//
// Plain functions, for a graph that no other thread sees.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "sluice/graph/graph.h"
#include "sluice/placement/placement_report.h"
#include "sluice/tensor/array.h"

namespace sluice {

class OpTimes;

struct LocalPlacement {
  // For nodes without a device; empty: the default of the process
  // (Devices::Default).
  std::string device{};
  // Copies results to the host; otherwise they stay where they are computed.
  bool results_to_host = true;
  // A request without a matching kernel falls back to another device; off: it
  // is an error.
  bool soft = true;
  // Nodes without a request go where the cost model finds the earliest finish.
  bool search = false;
  // Op times from traced runs; may be null.
  std::shared_ptr<OpTimes> times{};
};

// Whether such a run involves a device other than the host.
bool ConcernsDevices(const Graph& graph, const LocalPlacement& placement);

// Returns the placement of each node. `feeds`: the arguments of the graph,
// which stay where they are; empty if not known yet. Errors: as Place.
Result<PlacementReport> PlaceLocally(Graph& graph, std::span<const Array> feeds,
                                     const LocalPlacement& placement);

}  // namespace sluice
