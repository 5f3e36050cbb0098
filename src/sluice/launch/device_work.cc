#include "sluice/launch/device_work.h"

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
    item.bytes += in.bytes();
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

}  // namespace sluice
