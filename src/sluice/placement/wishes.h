// Intersects the wishes and kernels of a group of nodes: the devices on which
// all of them can be. Plain functions; one thread.
#pragma once

#include <string>
#include <vector>

#include "sluice/placement/device_table.h"

namespace sluice {

struct Choice {
  std::vector<int> devices;  // at least one
  DeviceName wish;           // the combined wish
  // The node with the wish; null if there is none.
  const Node* wisher = nullptr;
  std::string fell_back;  // why the wish is not met; empty if it is
};

// `soft` as in PlacementOptions: of contradicting wishes the first one counts,
// unless they name different jobs or tasks.
Result<Choice> ChooseFor(const std::vector<Node*>& group, DeviceTable& table,
                         bool soft);

}  // namespace sluice
