#include "sluice/device/timeline.h"

#include <set>

#include "sluice/device/sim/sim_device.h"

namespace sluice {

constinit thread_local int64_t IssuesFor::current_ = -1;

namespace {

std::set<SimWorld*> WorldsOf(std::span<Device* const> devices) {
  std::set<SimWorld*> worlds;
  for (Device* device : devices) {
    if (device->kind() != DeviceKind::kSim) continue;
    worlds.insert(&static_cast<SimDevice*>(device)->world());
  }
  return worlds;
}

}  // namespace

void StartTimelines(std::span<Device* const> devices) {
  for (SimWorld* world : WorldsOf(devices)) world->StartTimeline();
}

std::vector<TimelineItem> TakeTimelines(std::span<Device* const> devices) {
  std::vector<TimelineItem> all;
  for (SimWorld* world : WorldsOf(devices)) {
    std::vector<TimelineItem> items = world->TakeTimeline();
    all.insert(all.end(), std::make_move_iterator(items.begin()),
               std::make_move_iterator(items.end()));
  }
  return all;
}

}  // namespace sluice
