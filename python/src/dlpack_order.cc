#include "dlpack_order.h"

#include "errors.h"
#include "sluice/base/strings.h"
#include "sluice/device/cuda_outside.h"
#include "sluice/device/devices.h"
#include "sluice/device/stream_order.h"

namespace sluice::py {

namespace {

[[noreturn]] void ThrowBufferError(const std::string& message) {
  PyErr_SetString(PyExc_BufferError, message.c_str());
  throw nb::python_error();
}

Stream& StreamOf(Device& device, uintptr_t handle) {
  Result<Stream*> stream = OutsideCudaStream(device, handle);
  if (!stream.ok()) throw Error(stream.status());
  return **stream;
}

}  // namespace

dlpack::Device DlpackDeviceOf(const Array& array) {
  if (!array || array.on_host()) return {dlpack::kCpu, 0};
  Device& device = Devices::Of(array);
  if (device.kind() != DeviceKind::kCuda) {
    ThrowTypeError(StrCat("__dlpack__() of a tensor on ", device.name_text(),
                          ", which other libraries have no name for; wanted "
                          "cpu() before it"));
  }
  return {dlpack::kCuda, *device.name().index};
}

Device& DlpackGpu(int32_t id) {
  Result<Device*> device = Devices::Find(StrCat("gpu:", id));
  if (!device.ok()) ThrowBufferError(std::string(device.status().message()));
  return **device;
}

Stream& DefaultCudaStream(Device& device) { return StreamOf(device, 1); }

Stream* HandOver(const Array& array, nb::handle stream) {
  bool none = stream.is_none();
  int64_t number = none ? 1 : nb::cast<int64_t>(nb::int_(nb::borrow(stream)));
  if (array.on_host()) {
    if (!none && number != -1) {
      ThrowBufferError("__dlpack__(): a stream; the CPU has none");
    }
    return nullptr;
  }
  if (number < -1) {
    ThrowBufferError(StrCat("__dlpack__(): stream is ", number,
                            "; wanted None, -1 or the number of a stream"));
  }
  Device& device = Devices::Of(array);
  bool in_order = number != -1;
  Stream& reader =
      StreamOf(device, in_order ? static_cast<uintptr_t>(number) : 1);
  Stream& ours = device.stream();
  if (in_order) {
    BeforeRead(reader, array);
    // This includes unrecorded work on our stream.
    if (&reader != &ours) reader.WaitFor(ours.Record());
  }
  return &reader;
}

void TakeBack(const Array& array, Stream& reader) {
  if (array.on_host()) return;
  BeforeWrite(reader, array);
  AfterWrite(reader, array, /*mark=*/true);
}

}  // namespace sluice::py
