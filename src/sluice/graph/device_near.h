// The device for a node created on behalf of another, so that passes, gradients
// and batching leave no node without a device: the other node's own device.
// Arguments of regions have none; theirs is that of the first node that reads
// them, or else of the enclosing op.
#pragma once

#include <span>
#include <string>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

const std::string& DeviceNear(const Node& node);
const std::string& DeviceNear(const Value& value);
// For a node placed next to `node` that reads `inputs`: if `node` represents a
// region's arguments, the inputs determine the device.
const std::string& DeviceNear(const Node& node, std::span<const Value> inputs);

}  // namespace sluice
