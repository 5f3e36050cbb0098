// Place: a device for every node of a graph. A node's device before is a wish,
// whole or in part or empty; afterwards it is the full name of one device.
//
//   kernels     a node runs where there is a kernel for its types
//   wishes      are kept, or with `soft` given up and reported
//   state       a handle and all that use it are on one device
//   the host    keeps control flow, and the numbers that steer it or say sizes
//   the rest    goes to the preferred device, or where the cost model finds the
//               earliest finish
//
// Copies between devices are inserted afterwards, by others. A function; it may
// be called from any thread, for a graph that nobody else sees.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sluice/base/status.h"
#include "sluice/device/device_name.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// What is known of a device before anything runs there.
struct DeviceModel {
  DeviceName name;  // full
  double flops_per_second = 1e10;
  double bytes_per_second = 1e10;
  double launch_seconds = 1e-6;
  int64_t memory_bytes = INT64_MAX;
};

struct LinkModel {
  double bytes_per_second = 1e10;
  double latency_seconds = 1e-6;
};

struct PlacementOptions {
  std::vector<DeviceModel> devices;  // [0] is the host CPU of the local task
  // Null: the default LinkModel between any two.
  std::function<LinkModel(int from, int to)> link;
  int preferred = 0;  // for nodes without a wish, when there is no search
  // A wish that cannot be met falls back to a device that can run the node, in
  // the same job and task where it names them. Off: an error.
  bool soft = true;
  bool search =
      false;  // choose by the cost model where the wish leaves a choice
  // Null, or negative for a node: estimated from its shapes.
  std::function<double(const Node&, int device)> measured_seconds;
};

struct NodePlacement {
  std::string asked;
  int device = -1;  // -1: there is no node of that id
  std::string why;
  int64_t bytes_copied = 0;  // to it from other devices, each time it runs
  std::string node, line;    // its name; the user's line
};

struct PlacementReport {
  std::vector<std::string> devices;  // full names
  std::vector<NodePlacement> nodes;  // by Node::id() when it was placed
  double predicted_seconds = 0;      // of one run, by the cost model
  int64_t bytes_over_memory = 0;     // predicted; all devices together
  int unmet_wishes = 0;

  // A line for each node: asked, chosen, why, bytes copied; and a last one.
  std::string Explain() const;
};

// Errors, each with the user's line: text that is no device, a device that is
// not there, a device without a kernel, wishes of nodes that must be together
// and contradict each other (both are named). The graph is then unchanged.
Result<PlacementReport> Place(Graph& graph, const PlacementOptions& options);

}  // namespace sluice
