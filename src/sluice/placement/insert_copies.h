// Makes copies between devices explicit. After this pass the inputs of each
// node are in the memory of its device, and each value that crosses devices
// passes an Identity on the target device. There is one copy per value, target
// and region. Outer values of a loop are copied once, before the loop; those of
// a branch only if the branch is taken.
//
// REQUIRES: every node has a device (placement/placer.h). A plain function.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"

namespace sluice {

struct CopyOptions {
  std::string host = "/device:cpu:0";
  // The location of each argument of the graph; missing entries mean the host.
  std::vector<std::string> args;
  // Copies results to the host; otherwise they stay where they are computed.
  bool results_to_host = true;
  // Math on a few elements reads the memory of other CPU devices in place.
  bool small_in_place = false;
};

// Returns whether a copy was inserted.
Result<bool> InsertCopies(Graph& graph, const CopyOptions& options = {});

}  // namespace sluice
