// What the wishes and kernels of a group of nodes leave: the devices they may
// all be on.
#pragma once

#include <string>
#include <vector>

#include "sluice/placement/device_table.h"

namespace sluice {

struct Choice {
  std::vector<int> devices;  // at least one
  DeviceName wish;           // of all of them together
  // The node whose wish it is; null when none has one.
  const Node* wisher = nullptr;
  std::string fell_back;  // why the wish is not met; empty when it is
};

// `soft` as in PlacementOptions. Of wishes that contradict each other the
// first one counts then, except where they name different jobs or tasks.
Result<Choice> ChooseFor(const std::vector<Node*>& group, DeviceTable& table,
                         bool soft);

}  // namespace sluice
