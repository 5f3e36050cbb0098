#include "sluice/graph/device_near.h"

#include <algorithm>

namespace sluice {

const std::string& DeviceNear(const Node& node) {
  if (!node.is_args()) return node.device();
  for (const Node* user : node.users()) {
    if (!user->device().empty()) return user->device();
  }
  static const std::string* const kNone = new std::string;
  const Node* owner = node.region()->owner();
  return owner ? owner->device() : *kNone;
}

const std::string& DeviceNear(const Value& value) {
  if (!value.node->is_args()) return value.node->device();
  for (const Node* user : value.node->users()) {
    auto inputs = user->inputs();
    if (!user->device().empty() &&
        std::find(inputs.begin(), inputs.end(), value) != inputs.end()) {
      return user->device();
    }
  }
  return DeviceNear(*value.node);
}

const std::string& DeviceNear(const Node& node, std::span<const Value> inputs) {
  if (!node.is_args()) return node.device();
  for (const Value& v : inputs) {
    if (!v.node->device().empty()) return v.node->device();
  }
  return inputs.empty() ? DeviceNear(node) : DeviceNear(inputs[0]);
}

}  // namespace sluice
