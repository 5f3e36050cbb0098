// Tensors and devices: where one is, and a copy on another.
#include "sluice/base/error.h"
#include "sluice/device/devices.h"
#include "sluice/eager/call.h"
#include "sluice/eager/call_device.h"
#include "sluice/eager/recording.h"
#include "sluice/eager/scope.h"
#include "sluice/graph/node.h"

namespace sluice {

Tensor Tensor::to(std::string_view device, Where where) const {
  Operand operands[] = {*this};
  if (symbolic() || Recording::Open()) {
    // Where there is nothing but the host, it is there. A recording says so
    // (trace/function_trace.h): with more devices there is another one.
    if (Devices::Count() == 1) {
      ThrowIfError(Devices::Find(device).status());
      return *this;
    }
    if (Recording* recording = traced() ? Recording::Open() : nullptr) {
      Device* wanted = ValueOrThrow(Devices::Find(device));
      if (recording->DeviceOf(*eager_) == wanted) return *this;
    }
    DeviceScope there(device);
    return front_internal::CallOne("Identity", operands, {}, {}, where);
  }
  Device* wanted = ValueOrThrow(Devices::Find(device));
  if (array().memory() == wanted->array_memory()) return *this;
  return front_internal::CallOne("CopyTo", operands,
                                 {{"device", wanted->name_text()}}, {}, where);
}

std::string Tensor::device() const {
  // A tensor around a function that is recorded still has its elements.
  if (eager_ && eager_->array) return DeviceNameOf(eager_->array.memory());
  if (Recording* recording = traced() ? Recording::Open() : nullptr) {
    Device* device = recording->DeviceOf(*eager_);
    if (!device) device = MakingDevice();
    return (device ? *device : CpuDevice()).name_text();
  }
  if (symbolic()) return value().node->device();
  return DeviceNameOf(array().memory());
}

}  // namespace sluice
