#include "sluice/placement/value_places.h"

#include "sluice/device/device_name.h"
#include "sluice/graph/swap.h"
#include "sluice/op/host_inputs.h"

namespace sluice {

namespace {

DeviceKind KindOf(const std::string& device) {
  Result<DeviceName> name = DeviceName::Parse(device);
  return name.ok() && name->kind ? *name->kind : DeviceKind::kCpu;
}

// What goes round goes to the Merge of the next iteration.
const Node& Receiver(const Node& node) {
  if (node.op().flow != Flow::kNextIteration) return node;
  for (const Node* user : node.users()) {
    if (user->op().flow == Flow::kMerge) return *user;
  }
  return node;
}

}  // namespace

const std::string& ValuePlaces::PlaceOf(const Value& v) {
  static const auto& kNotYet = *new std::string;
  auto it = known_.find(v);
  if (it != known_.end()) return it->second;
  if (!open_.insert(v).second) return kNotYet;
  std::string found = Find(v);
  open_.erase(v);
  // It depends on a loop that is being looked at, and will be asked for again.
  if (found.empty()) return kNotYet;
  return known_[v] = std::move(found);
}

const std::string& ValuePlaces::Find(const Value& v) {
  const Node& node = *v.node;
  auto index = static_cast<size_t>(v.index);
  if (node.is_args()) {
    const Node* owner = node.region()->owner();
    if (!owner) {
      return index < args_.size() && !args_[index].empty() ? args_[index]
                                                           : host_;
    }
    if (owner->op().flow != Flow::kLoop) return host_;
    return PlaceOf({const_cast<Node*>(owner), v.index});
  }
  switch (node.op().flow) {
    case Flow::kLoop: {
      const Region& body = *node.regions().back();
      // Handed on: it stays where it came from.
      if (body.results()[index] == body.arg(v.index)) {
        return PlaceOf(node.input(v.index));
      }
      const std::string& made = PlaceOf(body.results()[index]);
      return made.empty() ? PlaceOf(node.input(v.index)) : made;
    }
    case Flow::kBranch:
      return PlaceOf(node.regions()[0]->results()[index]);
    case Flow::kFunction:
    case Flow::kCall:
      return host_;
    case Flow::kMerge:
      if (v.index == 1) return host_;  // which input came
      [[fallthrough]];
    default:
      break;
  }
  const std::string& device = Receiver(node).device();
  return GivesSizes(node.op()) || device.empty() ? host_ : device;
}

std::string ValuePlaces::WantedAt(const Node& node, int i) {
  const OpRecord& op = node.op();
  const Value& v = node.input(i);
  // An Identity on a device of its own is a copy to it.
  if (v.dtype() == DType::kResource || op.shape_only || IsCopy(node)) {
    return "";
  }
  switch (op.flow) {
    case Flow::kLoop:
      return PlaceOf({const_cast<Node*>(&node), i});
    case Flow::kBranch:
    case Flow::kFunction:
    case Flow::kCall:
    case Flow::kLoopCond:
      return host_;
    case Flow::kSwitch:
      if (i == 1) return host_;
      break;
    case Flow::kMerge:
      // What comes round was brought here before it went round.
      if (IsBackEdge(node, v)) return "";
      break;
    default:
      break;
  }
  const std::string& device = Receiver(node).device();
  if (device.empty()) return host_;
  if (HostReads(op, KindOf(device), static_cast<size_t>(i),
                static_cast<size_t>(node.num_inputs()))) {
    return host_;
  }
  return device;
}

}  // namespace sluice
