#include "sluice/eager/recorded_device.h"

#include "sluice/base/strings.h"
#include "sluice/device/devices.h"
#include "sluice/device/names_task.h"
#include "sluice/eager/call_device.h"
#include "sluice/op/host_inputs.h"

namespace sluice {

namespace {

// Whether the call reads elements of that input on its device.
bool ReadThere(const OpRecord& op, const EagerValue& in, size_t i,
               size_t count) {
  return !in.rows && !IsReference(in.dtype()) && !op.shape_only &&
         !HostReads(op, i, count);
}

// Also where only a step knows how many axes there are: it may be one.
bool IsNumberOfHost(const EagerValue& in, const Device& device) {
  return &device == &CpuDevice() && in.shape().rank() < 1;
}

}  // namespace

Result<Device*> RecordedDevice(Recording& recording, const OpRecord& op,
                               std::span<const EagerRef> inputs) {
  if (Devices::Count() == 1 || op.any_memory || op.flow != Flow::kNone) {
    return nullptr;
  }
  // A copy is where it is asked to be.
  if (op.role == Role::kIdentity) return nullptr;
  // Hands operands on, whatever beside them its gradient will read.
  if (op.role == Role::kCustomGradient) return nullptr;
  size_t first = inputs.size();
  Device* device = nullptr;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i] || !ReadThere(op, *inputs[i], i, inputs.size())) continue;
    Device* there = recording.DeviceOf(*inputs[i]);
    if (!there || IsNumberOfHost(*inputs[i], *there)) continue;
    if (!device) {
      device = there;
      first = i;
    } else if (device != there) {
      return OnTwoDevices(op, static_cast<int>(first),
                          inputs[first]->TypeText(), *device,
                          static_cast<int>(i), inputs[i]->TypeText(), *there);
    }
  }
  return device;
}

std::string RecordedDeviceName(const Device* device, const std::string& scope) {
  if (!device || (device == &CpuDevice() && scope.empty())) return scope;
  // What lies on devices of this process is fed to the task.
  if (NamesTask(scope)) return scope;
  return std::string(device->name_text());
}

Status CheckWrittenThere(Recording& recording, const OpRecord& op,
                         EagerValue& target, EagerValue& made) {
  if (Devices::Count() == 1) return OkStatus();
  Device *to = recording.DeviceOf(target), *from = recording.DeviceOf(made);
  // What the host made for a device goes there, as imperatively.
  if (!to || !from || to == from || from == &CpuDevice()) return OkStatus();
  return WrittenElsewhere(op, made.TypeText(), *from, *to);
}

}  // namespace sluice
