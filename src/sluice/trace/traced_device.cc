#include "sluice/trace/traced_device.h"

#include "sluice/device/devices.h"
#include "sluice/op/host_inputs.h"

namespace sluice {

Device* TracedDevices::Of(const Value& value) {
  // Without recursion: the chain of dependencies may be long.
  todo_.push_back(value);
  while (!todo_.empty()) {
    Value at = todo_.back();
    auto [it, first] = found_.try_emplace(at);
    if (first) {
      Look(at);  // pushes its dependencies onto the list
      continue;
    }
    todo_.pop_back();
    if (it->second.done) continue;
    Device* device = Look(at);
    found_[at] = {device, true};
  }
  return found_[value].device;
}

Device* TracedDevices::Ask(const Value& value) {
  auto it = found_.find(value);
  if (it == found_.end()) {
    todo_.push_back(value);
    return nullptr;
  }
  // Unknown, in case of a cycle.
  return it->second.device;
}

Device* TracedDevices::Look(const Value& v) {
  const Node& node = *v.node;
  if (node.is_args()) return OfArg(v);
  if (!node.device().empty()) {
    Result<Device*> named = Devices::Find(node.device());
    return named.ok() ? *named : nullptr;
  }
  const OpRecord& op = node.op();
  if (GivesSizes(op) || op.handle) return &CpuDevice();
  if (op.flow == Flow::kLoop) return Ask(node.input(v.index));
  if (op.flow == Flow::kBranch) {
    const Region& first = *node.regions()[0];
    auto i = static_cast<size_t>(v.index);
    return i < first.results().size() ? Ask(first.results()[i]) : nullptr;
  }
  if (op.flow != Flow::kNone) return nullptr;
  return OfOperands(node);
}

// Calls on operands of two devices are refused, so one operand on a device
// determines the device of all, except for host numbers and constants written
// in the source, which move to the others' device.
Device* TracedDevices::OfOperands(const Node& node) {
  const OpRecord& op = node.op();
  auto count = static_cast<size_t>(node.num_inputs());
  Device *host = nullptr, *numbers = nullptr;
  bool unknown = false;
  for (size_t i = 0; i < count; ++i) {
    Value in = node.input(static_cast<int>(i));
    // Zeros in another tensor's shape are on the device of that tensor.
    if (IsReference(in.dtype()) || TellsPlace(op, i) ||
        (!op.shape_only && HostReads(op, i, count))) {
      continue;
    }
    Device* device = Ask(in);
    if (device && (device != &CpuDevice() || op.shape_only)) return device;
    unknown = unknown || !device;
    (in.shape().rank() == 0 ? numbers : host) = device;
  }
  if (host) return host;
  if (unknown) return nullptr;
  if (MakesOfNumbers(op, count)) return &Devices::Default();
  return numbers ? numbers : &Devices::Default();
}

Device* TracedDevices::OfArg(const Value& v) {
  const Node* owner = v.node->region()->owner();
  if (!owner) {
    for (const Capture::Entry& entry : capture_.entries()) {
      if (entry.arg == v) return &Devices::Of(entry.value->array);
    }
    return nullptr;
  }
  if (owner->op().flow == Flow::kLoop && v.index < owner->num_inputs()) {
    return Ask(owner->input(v.index));
  }
  return nullptr;
}

Device* Capture::DeviceOf(EagerValue& value) {
  if (value.rows) return nullptr;
  if (!devices_) devices_ = std::make_unique<TracedDevices>(*this);
  return devices_->Of(Now(value));
}

}  // namespace sluice
