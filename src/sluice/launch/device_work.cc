#include "sluice/launch/device_work.h"

#include <algorithm>

#include "sluice/device/devices.h"
#include "sluice/device/sim/sim_device.h"
#include "sluice/device/sim/sim_stream.h"
#include "sluice/device/stream_order.h"

namespace sluice {

Status RunOnDevice(Device& device, DeviceWork work) {
  auto& stream = static_cast<SimStream&>(device.stream());
  SimWork item;
  item.label = std::move(work.label);
  item.flops = work.flops;
  item.run = std::move(work.run);
  for (const Array& in : work.reads) {
    item.bytes += std::min(in.bytes(), work.most_read);
    BeforeRead(stream, in);
    if (!in.on_host()) item.reads.push_back(RangeOf(in));
  }
  for (const Array& out : work.writes) {
    item.bytes += out.bytes();
    BeforeWrite(stream, out);
    item.writes.push_back(RangeOf(out));
  }
  stream.Run(std::move(item));
  for (const Array& in : work.reads) AfterRead(stream, in);
  for (const Array& out : work.writes) AfterWrite(stream, out, /*mark=*/false);
  return OkStatus();
}

Status FailureOf(const Array& array) {
  if (!array || array.on_host()) return OkStatus();
  auto* device = dynamic_cast<SimDevice*>(&Devices::Of(array));
  return device ? device->world().FailureOf(RangeOf(array)) : OkStatus();
}

}  // namespace sluice
