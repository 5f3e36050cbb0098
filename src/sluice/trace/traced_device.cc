#include "sluice/trace/traced_device.h"

#include <unordered_map>

#include "sluice/device/devices.h"
#include "sluice/op/host_inputs.h"

namespace sluice {

namespace {

// Nodes of a device name it, so only what is on the host, or anywhere, is
// followed; and not for longer than a recording can afford at every call.
constexpr size_t kMaxSteps = 256;

class Search {
 public:
  explicit Search(const Capture& capture) : capture_(capture) {}

  Device* Of(const Value& v) {
    if (auto it = found_.find(v); it != found_.end()) return it->second;
    // Not known, should it lead here again.
    found_.emplace(v, nullptr);
    if (gave_up()) return nullptr;
    return found_[v] = Look(v);
  }
  // The search was cut short: what it found says nothing.
  bool gave_up() const { return found_.size() > kMaxSteps; }

 private:
  Device* Look(const Value& v) {
    const Node& node = *v.node;
    if (node.is_args()) return OfArg(v);
    if (!node.device().empty()) {
      Result<Device*> named = Devices::Find(node.device());
      return named.ok() ? *named : nullptr;
    }
    const OpRecord& op = node.op();
    if (GivesSizes(op) || op.handle) return &CpuDevice();
    if (op.flow == Flow::kLoop) return Of(node.input(v.index));
    if (op.flow == Flow::kBranch) {
      const Region& first = *node.regions()[0];
      auto i = static_cast<size_t>(v.index);
      return i < first.results().size() ? Of(first.results()[i]) : nullptr;
    }
    if (op.flow != Flow::kNone) return nullptr;
    return OfOperands(node);
  }

  // Calls on operands of two devices are refused, so that one on a device tells
  // where all are, but for numbers of the host and what the source writes down
  // among the operands, which go where the others are.
  Device* OfOperands(const Node& node) {
    const OpRecord& op = node.op();
    auto count = static_cast<size_t>(node.num_inputs());
    Device *host = nullptr, *numbers = nullptr;
    bool unknown = false;
    for (size_t i = 0; i < count; ++i) {
      Value in = node.input(static_cast<int>(i));
      // The zeros of another's shape are where it is.
      if (IsReference(in.dtype()) || TellsPlace(op, i) ||
          (!op.shape_only && HostReads(op, DeviceKind::kCpu, i, count))) {
        continue;
      }
      Device* device = Of(in);
      if (device && device != &CpuDevice()) return device;
      unknown = unknown || !device;
      if (op.shape_only) continue;
      (in.shape().rank() == 0 ? numbers : host) = device;
    }
    if (host) return host;
    if (unknown) return nullptr;
    return numbers ? numbers : &Devices::Default();
  }

  Device* OfArg(const Value& v) {
    const Node* owner = v.node->region()->owner();
    if (!owner) {
      for (const Capture::Entry& entry : capture_.entries()) {
        if (entry.arg == v) return &Devices::Of(entry.value->array);
      }
      return nullptr;
    }
    if (owner->op().flow == Flow::kLoop && v.index < owner->num_inputs()) {
      return Of(owner->input(v.index));
    }
    return nullptr;
  }

  const Capture& capture_;
  std::unordered_map<Value, Device*, ValueHash> found_;
};

}  // namespace

Device* DeviceOfValue(const Capture& capture, const Value& value) {
  Search search(capture);
  Device* found = search.Of(value);
  return search.gave_up() ? nullptr : found;
}

Device* Capture::DeviceOf(EagerValue& value) {
  if (value.rows) return nullptr;
  return DeviceOfValue(*this, Now(value));
}

}  // namespace sluice
