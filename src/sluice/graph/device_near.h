// The device that a node made for the sake of another carries, so that passes,
// gradients and batching leave nothing without one: a node's own. Arguments of
// regions have none; they count as on that of the first node that reads them,
// or else of the op around.
#pragma once

#include <span>
#include <string>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

const std::string& DeviceNear(const Node& node);
const std::string& DeviceNear(const Value& value);
// For a node that stands beside `node` and reads `inputs`: where `node` is a
// region's arguments, what it reads says more.
const std::string& DeviceNear(const Node& node, std::span<const Value> inputs);

}  // namespace sluice
