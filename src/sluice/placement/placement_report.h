// PlacementReport: where each node of a graph went, and why. A plain value,
// apart from the graph.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice {

struct NodePlacement {
  std::string asked;
  int device = -1;  // -1: no node has that id
  std::string why;
  int64_t bytes_copied = 0;  // to it from other devices, per run
  std::string node, line;    // its name; the user's line
};

struct PlacementReport {
  std::vector<std::string> devices;  // full names
  std::vector<NodePlacement> nodes;  // by Node::id() at placement time
  double predicted_seconds = 0;      // of one run, by the cost model
  int64_t bytes_over_memory = 0;     // predicted sum over all devices
  int unmet_wishes = 0;

  // One line per node: wish and choice, reason, bytes copied; then a
  // summary.
  std::string Explain() const;
};

}  // namespace sluice
