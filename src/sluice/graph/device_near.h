// The device for a node that is made on behalf of another, so that passes,
// gradients and batching leave no node without one: the other node's own.
// Arguments of regions have none; theirs is that of the first node that reads
// them, or else of the op around.
#pragma once

#include <span>
#include <string>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

const std::string& DeviceNear(const Node& node);
const std::string& DeviceNear(const Value& value);
// For a node that is placed beside `node` and reads `inputs`: where `node`
// stands for a region's arguments, the inputs say more.
const std::string& DeviceNear(const Node& node, std::span<const Value> inputs);

}  // namespace sluice
