#include "sluice/eager/call_device.h"

#include <unordered_map>

#include "sluice/base/strings.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/device/devices.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/launch/copy_between.h"
#include "sluice/op/host_inputs.h"
#include "sluice/op/run_op.h"

namespace sluice {

namespace {

using front_internal::EagerMode;

// Whether the call reads elements of that input on its device.
bool ReadThere(const OpRecord& op, const Array& in, size_t i, size_t count) {
  return in && !IsReference(in.dtype()) && !op.shape_only &&
         !HostReads(op, DeviceKind::kCpu, i, count);
}

Status TwoDevices(const OpRecord& op, std::span<const Array> inputs, size_t a,
                  size_t b) {
  auto name = [&](size_t i) {
    return StrCat(op.InputName(static_cast<int>(i)), " is ",
                  inputs[i].TypeText(), " on ",
                  DeviceNameOf(inputs[i].memory()));
  };
  return InvalidArgument(StrCat("[", op.name, "] ", name(a), ", ", name(b),
                                "; wanted both on one device (to() copies)"));
}

// What failed after its call, by device.
struct LateErrors {
  Mutex mu;
  std::unordered_map<const Device*, Status> first SL_GUARDED_BY(mu);

  static LateErrors& Get() {
    static auto* errors = new LateErrors;
    return *errors;
  }
  void Note(const Device& device, const Status& status) {
    MutexLock lock(mu);
    first.emplace(&device, status);
  }
  Status Take(const Device& device) {
    MutexLock lock(mu);
    auto it = first.find(&device);
    if (it == first.end()) return OkStatus();
    Status status = std::move(it->second);
    first.erase(it);
    return status;
  }
};

}  // namespace

Result<Device*> CallDevice(const OpRecord& op, std::span<const Array> inputs) {
  // It touches no elements, wherever they are.
  if (op.any_memory) return nullptr;
  bool elsewhere = false, reads = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    elsewhere = elsewhere || (inputs[i] && inputs[i].memory());
  }
  Device* scope = EagerMode::Current().device;
  if (!elsewhere && !scope) [[likely]]
    return nullptr;
  size_t first = inputs.size();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!ReadThere(op, inputs[i], i, inputs.size())) continue;
    // A number of the host goes anywhere.
    if (!inputs[i].memory() && inputs[i].rank() == 0) continue;
    reads = true;
    if (first == inputs.size()) {
      first = i;
    } else if (inputs[i].memory() != inputs[first].memory()) {
      return TwoDevices(op, inputs, first, i);
    }
  }
  if (reads) {
    Memory* memory = inputs[first].memory();
    return memory ? &Devices::Of(memory) : nullptr;
  }
  // Numbers alone stay where they are; what is made of nothing goes where the
  // scope says, and what has the shape of another where that one is.
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (op.shape_only && inputs[i] && inputs[i].memory()) {
      return &Devices::Of(inputs[i]);
    }
    if (ReadThere(op, inputs[i], i, inputs.size())) return nullptr;
  }
  bool host = !scope || scope == &CpuDevice() || GivesSizes(op) || op.handle;
  return host ? nullptr : scope;
}

Status CallOn(Device& device, const LaunchCall& call, StepContext step,
              std::span<Array> inputs, std::span<Array> outputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    Array& in = inputs[i];
    if (!in || IsReference(in.dtype()) || call.op.shape_only) continue;
    if (HostReads(call.op, device.kind(), i, inputs.size())) {
      SL_ASSIGN_OR_RETURN(in, OnHost(in));
    } else if (in.memory() != device.array_memory()) {
      SL_ASSIGN_OR_RETURN(StartedCopy copy, StartCopy(in, device));
      in = std::move(copy.value);
    }
  }
  step.memory = device.array_memory();
  if (device.synchronous()) {
    return LaunchCpu(call.op, call.attrs, call.node, step, inputs,
                     call.out_dtypes, outputs);
  }
  LateError late = [&device](const Status& error) {
    LateErrors::Get().Note(device, error);
  };
  return LaunchOn(device, call, step, inputs, outputs, late);
}

Result<Array> OnHost(const Array& array) {
  if (!array || array.on_host()) return array;
  Device& device = Devices::Of(array);
  SL_ASSIGN_OR_RETURN(Array copy, CopyTo(array, CpuDevice()));
  SL_RETURN_IF_ERROR(LateErrors::Get().Take(device));
  return copy;
}

}  // namespace sluice
