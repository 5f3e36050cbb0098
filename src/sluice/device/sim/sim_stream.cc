#include "sluice/device/sim/sim_stream.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/device/sim/sim_device.h"

namespace sluice {

namespace {
// Null for memory of the host.
SimMemory* SimMemoryOf(const Place& place) {
  if (!place.memory || place.memory->on_host()) return nullptr;
  return dynamic_cast<SimMemory*>(place.memory);
}

bool Known(const Place& place) {
  return !place.memory || place.memory->on_host() || SimMemoryOf(place);
}

const char* LabelOf(const SimMemory* to, const SimMemory* from) {
  if (to && from) return to == from ? "copy" : "copy to peer";
  return to ? "copy from host" : "copy to host";
}
}  // namespace

SimStream::SimStream(SimDevice& device, std::string name)
    : device_(device),
      name_(std::move(name)),
      world_(device.world()),
      queue_(world_.AddQueue(*this, StrCat(device.name_text(), " ", name_))) {}

SimStream::~SimStream() { world_.RemoveQueue(queue_); }

Device& SimStream::device() { return device_; }
const Memory& SimStream::memory() const { return device_.memory(); }
EventRef SimStream::Record() { return world_.Record(*queue_); }
void SimStream::WaitFor(const EventRef& event) {
  world_.WaitFor(*queue_, event);
}
void SimStream::Then(void (*callback)(void*), void* context) {
  world_.Then(*queue_, {callback, context});
}

Status SimStream::Synchronize() {
  world_.WaitUntilReached(Record());
  return TakeError();
}

Status SimStream::TakeError() { return world_.TakeError(*queue_); }

void SimStream::Run(SimWork work) {
  SimWorld::Item item;
  item.label = std::move(work.label);
  item.seconds = device_.KernelSeconds(work.flops, work.bytes);
  item.bytes = work.bytes;
  if (device_.options().run_work) item.run = std::move(work.run);
  // What a kernel takes from the host it was given when it was issued.
  auto of_host = [](const ByteRange& range) { return !range.memory; };
  std::erase_if(work.reads, of_host);
  std::erase_if(work.writes, of_host);
  world_.Issue(*queue_, std::move(item), work.reads, work.writes,
               device_.options().launch_seconds);
}

void SimStream::RunTimed(SimWork work, std::function<double()> run) {
  SimWorld::Item item;
  item.label = std::move(work.label);
  item.run_timed = std::move(run);
  world_.Issue(*queue_, std::move(item), work.reads, work.writes,
               device_.options().launch_seconds);
}

void SimStream::RunFree(std::string label, const ByteRange& writes,
                        std::function<void()> run) {
  SimWorld::Item item;
  item.label = std::move(label);
  item.run = std::move(run);
  item.hidden = true;
  world_.Issue(*queue_, std::move(item), {}, {writes}, 0);
}

double SimStream::CopySeconds(const SimMemory* to, const SimMemory* from,
                              int64_t bytes) const {
  if (to == from) return device_.KernelSeconds(0, 2 * bytes);
  double latency = 0, rate = 0, slowdown = 1;
  for (const SimMemory* side : {to, from}) {
    if (!side) continue;
    const SimOptions& options = side->options();
    latency = std::max(latency, options.link_latency_seconds);
    rate = rate == 0 ? options.link_bytes_per_second
                     : std::min(rate, options.link_bytes_per_second);
    slowdown = std::max(slowdown, side->faults().copy_slowdown);
  }
  return slowdown * (latency + static_cast<double>(bytes) / rate);
}

void SimStream::Copy(const Place& to, const Place& from, int64_t bytes) {
  if (bytes <= 0) return;
  SimMemory* to_sim = SimMemoryOf(to);
  SimMemory* from_sim = SimMemoryOf(from);
  SimWorld::Item item;
  item.label = LabelOf(to_sim, from_sim);
  item.failed = CopyCaller::Current();
  item.bytes = bytes;
  std::vector<ByteRange> reads = {{from_sim, from.address, bytes}};
  std::vector<ByteRange> writes = {{to_sim, to.address, bytes}};
  if (!Known(to) || !Known(from)) {
    Status error =
        Unimplemented(StrCat("a simulated device copies neither to nor from ",
                             DeviceNameOf((Known(to) ? from : to).memory)));
    item.run = [error] { throw Error(error); };
    reads = writes = {};
  } else if (device_.sim_memory().CopyFails()) {
    Status error(Code::kUnavailable, StrCat(device_.name_text(), ": a copy of ",
                                            bytes, " bytes failed (injected)"));
    item.run = [error] { throw Error(error); };
  } else {
    void* target = to_sim ? to_sim->Bytes(to.address) : to.address;
    const void* source =
        from_sim ? from_sim->Bytes(from.address) : from.address;
    if (device_.options().run_work) {
      item.run = [target, source, bytes] {
        std::memmove(target, source, static_cast<size_t>(bytes));
      };
    }
    item.seconds = CopySeconds(to_sim, from_sim, bytes);
  }
  world_.Issue(*queue_, std::move(item), reads, writes,
               device_.options().launch_seconds);
}

}  // namespace sluice
