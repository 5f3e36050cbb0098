// Copies between devices, made visible: after this pass a node finds its inputs
// in the memory it works in, and what crosses from one device to another passes
// an Identity on the device it goes to. One for each value, destination and
// region; what a loop reads from outside is copied once, before it, and what a
// branch reads only when the branch is taken.
//
// REQUIRES: every node has a device (placement/placer.h). A plain function.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"

namespace sluice {

struct CopyOptions {
  std::string host = "/device:cpu:0";
  // Where each of the graph's arguments lies; the host when it is not there.
  std::vector<std::string> args;
  // Results are brought to the host; else they stay where they are made.
  bool results_to_host = true;
  // Math on a few elements reads what lies on another CPU device there.
  bool small_in_place = false;
};

// True when there was something to copy.
Result<bool> InsertCopies(Graph& graph, const CopyOptions& options = {});

}  // namespace sluice
