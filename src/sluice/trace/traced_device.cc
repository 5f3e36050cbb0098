#include "sluice/trace/traced_device.h"

#include "sluice/device/devices.h"
#include "sluice/eager/call_device.h"
#include "sluice/op/host_inputs.h"

namespace sluice {

namespace {

// Nodes of a device name it, so only what is on the host, or anywhere, is
// followed; and not for longer than a recording can afford at every call.
constexpr int kMaxSteps = 256;

class Search {
 public:
  explicit Search(const Capture& capture) : capture_(capture) {}

  Device* Of(const Value& v) {
    if (++steps_ > kMaxSteps) return nullptr;
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
    auto count = static_cast<size_t>(node.num_inputs());
    Device* numbers = nullptr;
    bool unknown = false;
    for (size_t i = 0; i < count; ++i) {
      Value in = node.input(static_cast<int>(i));
      if (!ReadThere(op, in, i, count)) continue;
      Device* device = Of(in);
      if (device && !IsNumberOfHost(in, *device)) return device;
      unknown = unknown || !device;
      if (device) numbers = device;
    }
    // Numbers of the host go anywhere, so also where the others are.
    return unknown ? nullptr : numbers;
  }
  // The search was cut short: what it found says nothing.
  bool gave_up() const { return steps_ > kMaxSteps; }

  // Whether a call reads elements of that input on its device.
  static bool ReadThere(const OpRecord& op, const Value& in, size_t i,
                        size_t count) {
    return !IsReference(in.dtype()) && !op.shape_only &&
           !HostReads(op, DeviceKind::kCpu, i, count);
  }
  static bool IsNumberOfHost(const Value& v, const Device& device) {
    return &device == &CpuDevice() && v.shape().rank() == 0;
  }

 private:
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
  int steps_ = 0;
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

Result<const Device*> TracedDevice(const Capture& capture, const OpRecord& op,
                                   std::span<const Value> inputs) {
  if (Devices::Count() == 1 || op.any_memory) return nullptr;
  // A copy is where it is asked to be.
  if (op.role == Role::kIdentity) return nullptr;
  int first = -1;
  Device* device = nullptr;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value& in = inputs[i];
    if (!Search::ReadThere(op, in, i, inputs.size())) continue;
    Device* there = DeviceOfValue(capture, in);
    if (!there || Search::IsNumberOfHost(in, *there)) continue;
    if (!device) {
      device = there;
      first = static_cast<int>(i);
    } else if (device != there) {
      return OnTwoDevices(op, first,
                          TypeText(inputs[static_cast<size_t>(first)].dtype(),
                                   inputs[static_cast<size_t>(first)].shape()),
                          *device, static_cast<int>(i),
                          TypeText(in.dtype(), in.shape()), *there);
    }
  }
  return device == &CpuDevice() ? nullptr : device;
}

}  // namespace sluice
