#include "sluice/placement/device_table.h"

#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/graph/together_with.h"
#include "sluice/op/runs_on.h"

namespace sluice {

Result<DeviceTable> DeviceTable::Make(const PlacementOptions& options) {
  DeviceTable table;
  table.models_ = &options.devices;
  if (options.devices.empty()) {
    return InvalidArgument("placement got no devices; wanted at least a CPU");
  }
  for (const DeviceModel& device : options.devices) {
    std::string text = device.name.ToString();
    if (!device.name.full()) {
      return InvalidArgument(StrCat("placement got the device \"", text,
                                    "\"; wanted a kind and a number"));
    }
    if (std::count(table.texts_.begin(), table.texts_.end(), text)) {
      return InvalidArgument(
          StrCat("placement got the device \"", text, "\" twice"));
    }
    table.texts_.push_back(std::move(text));
  }
  if (*options.devices[0].name.kind != DeviceKind::kCpu) {
    return InvalidArgument(StrCat("placement got \"", table.texts_[0],
                                  "\" as its first device; wanted the CPU of "
                                  "this task"));
  }
  if (options.preferred < 0 || options.preferred >= table.size()) {
    return InvalidArgument(StrCat("placement prefers device ",
                                  options.preferred, " of ", table.size()));
  }
  for (unsigned kinds = 0; kinds < 1u << kNumDeviceKinds; ++kinds) {
    DeviceSet& set = table.by_kinds_.emplace_back();
    for (const DeviceModel& device : options.devices) {
      set.push_back((kinds >> static_cast<int>(*device.name.kind) & 1) != 0);
    }
  }
  return table;
}

Result<const DeviceName*> DeviceTable::WishOf(const Node& node) {
  auto it = wishes_.find(node.device());
  if (it == wishes_.end()) {
    // The device that is asked for may be anywhere.
    bool anywhere = !PartnerOf(node.device()).empty();
    Result<DeviceName> name = DeviceName::Parse(anywhere ? "" : node.device());
    if (!name.ok()) return name.status().WithLine(NodeLine(node));
    it = wishes_.emplace(node.device(), std::move(*name)).first;
  }
  return &it->second;
}

const DeviceSet& DeviceTable::Running(const Node& node) {
  dtypes_.clear();
  for (const Value& v : node.inputs()) dtypes_.push_back(v.dtype());
  for (int i = 0; i < node.num_outputs(); ++i) {
    dtypes_.push_back(node.output_type(i).dtype);
  }
  unsigned kinds = 0;
  for (int k = 0; k < kNumDeviceKinds; ++k) {
    auto kind = static_cast<DeviceKind>(k);
    if (RunsOn(node.op(), kind, dtypes_) ||
        RunsWhenIdle(node.op(), kind, dtypes_)) {
      kinds |= 1u << k;
    }
  }
  return by_kinds_[kinds];
}

DeviceSet DeviceTable::Covered(const DeviceName& wish) const {
  DeviceSet set;
  for (const DeviceModel& device : *models_) {
    set.push_back(wish.Covers(device.name));
  }
  return set;
}

int DeviceTable::HostOf(const DeviceName& wish) const {
  DeviceName host;
  host.job = wish.job;
  host.task = wish.task;
  host.kind = DeviceKind::kCpu;
  for (int d = 0; d < size(); ++d) {
    if (host.Covers(model(d).name)) return d;
  }
  return 0;
}

std::string DeviceTable::List() const { return Join(texts_, ", "); }

}  // namespace sluice
