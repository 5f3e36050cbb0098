// Place: assigns a device to every node of a graph. Before, the device of a
// node is a wish, complete, partial or empty; afterwards it is the full name of
// one device.
//
//   kernels     a node runs on a device with a kernel for its types
//   wishes      are honored, or with `soft` given up and reported
//   state       a handle and all its users are on one device
//   the host    runs control flow and holds predicates, counters and sizes
//   the rest    goes to the preferred device, or where the cost model finds the
//               earliest finish
//
// Copies between devices are inserted later (placement/insert_copies.h). A
// plain function; any thread may call it, for a graph that no other thread
// sees.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sluice/base/status.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/placement/device_model.h"
#include "sluice/placement/placement_report.h"

namespace sluice {

struct PlacementOptions {
  std::vector<DeviceModel> devices;  // [0] is the host CPU of the local task
  // Null: the default LinkModel for every pair.
  std::function<LinkModel(int from, int to)> link;
  int preferred = 0;  // for nodes without a wish, unless searching
  // A wish that cannot be met falls back to a device that can run the node, in
  // the job and task it names, if any. Off: an error.
  bool soft = true;
  bool search =
      false;  // choose by the cost model where the wish leaves a choice
  // May be null; a negative result means: estimate from the shapes.
  std::function<double(const Node&, int device)> measured_seconds;
};

// Errors, each with the user's line: invalid device text, an unknown device, a
// device without a kernel, contradicting wishes of nodes that must be together
// (both are named). The graph is then unchanged.
Result<PlacementReport> Place(Graph& graph, const PlacementOptions& options);

}  // namespace sluice
