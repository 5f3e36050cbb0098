#include "sluice/session/device_models.h"

#include <algorithm>

#include "sluice/device/cuda_outside.h"
#include "sluice/device/sim/sim_device.h"
#include "sluice/tensor/live_blocks.h"

namespace sluice {

namespace {

// Measured on an H200: the time of a kernel that does nothing, after another
// one. Drivers do not tell it.
constexpr double kGpuLaunchSeconds = 2e-6;
// What is between a GPU and the rest, which no driver tells either: 16 lanes
// of PCIe 4, the least that such machines have.
constexpr LinkModel kGpuLink = {.bytes_per_second = 25e9,
                                .latency_seconds = 10e-6};

int64_t LimitOf(Device& device) {
  auto* tells = dynamic_cast<const TellsLive*>(&device.memory().allocator());
  return tells ? tells->limit() : INT64_MAX;
}

// Returns whether there is one.
bool LinkOf(Device& device, LinkModel* link) {
  if (auto* sim = dynamic_cast<SimDevice*>(&device)) {
    const SimOptions& o = sim->options();
    *link = {o.link_bytes_per_second, o.link_latency_seconds};
    return true;
  }
  if (device.kind() != DeviceKind::kCuda) return false;
  *link = kGpuLink;
  return true;
}

}  // namespace

DeviceModel ModelOf(Device& device) {
  DeviceModel model;
  model.name = device.name();
  model.memory_bytes = LimitOf(device);
  if (auto* sim = dynamic_cast<SimDevice*>(&device)) {
    const SimOptions& o = sim->options();
    model.flops_per_second = o.flops_per_second;
    model.bytes_per_second = o.bytes_per_second;
    model.launch_seconds = o.kernel_seconds;
  } else if (device.kind() == DeviceKind::kCuda) {
    model.launch_seconds = kGpuLaunchSeconds;
    if (Result<CudaFigures> figures = FiguresOf(device); figures.ok()) {
      if (figures->flops_per_second > 0) {
        model.flops_per_second = figures->flops_per_second;
      }
      if (figures->bytes_per_second > 0) {
        model.bytes_per_second = figures->bytes_per_second;
      }
    }
  }
  return model;
}

LinkModel LinkBetween(Device& a, Device& b) {
  LinkModel link, other;
  bool first = LinkOf(a, &link), second = LinkOf(b, &other);
  if (!second) return link;
  if (!first) return other;
  return {std::min(link.bytes_per_second, other.bytes_per_second),
          std::max(link.latency_seconds, other.latency_seconds)};
}

}  // namespace sluice
