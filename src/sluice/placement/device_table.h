// DeviceTable: the devices a graph may be placed on, and which of them a wish
// or an op leaves. Made once per placement and used by one thread.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sluice/placement/placer.h"

namespace sluice {

// By device: whether it is in the set.
using DeviceSet = std::vector<char>;

class DeviceTable {
 public:
  // Errors: no device, one without a full name, two of a name, no CPU first.
  static Result<DeviceTable> Make(const PlacementOptions& options);

  int size() const { return static_cast<int>(models_->size()); }
  const DeviceModel& model(int d) const {
    return (*models_)[static_cast<size_t>(d)];
  }
  const std::string& text(int d) const {
    return texts_[static_cast<size_t>(d)];
  }
  // What a node asks for; any device when it asks for nothing. Error: its text
  // is no device.
  Result<const DeviceName*> WishOf(const Node& node);
  // Those with a kernel for the node.
  const DeviceSet& Running(const Node& node);
  DeviceSet Covered(const DeviceName& wish) const;
  // The first CPU of the job and task that `wish` names, else device 0.
  int HostOf(const DeviceName& wish) const;
  // "/device:cpu:0, /device:sim:0"
  std::string List() const;

 private:
  DeviceTable() = default;
  const std::vector<DeviceModel>* models_ = nullptr;
  std::vector<std::string> texts_;
  std::unordered_map<std::string, DeviceName> wishes_;
  std::vector<DeviceSet> by_kinds_;  // by bits of kinds
  std::vector<DType> dtypes_;        // scratch
};

}  // namespace sluice
