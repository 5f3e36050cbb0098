// DeviceTable: the devices a graph may be placed on, and the subsets allowed by
// a wish or an op. Built once per placement and used by one thread.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sluice/placement/placer.h"

namespace sluice {

// Indexed by device: whether it is in the set.
using DeviceSet = std::vector<char>;

class DeviceTable {
 public:
  // Errors: no device, a device without a full name, a duplicate name, no CPU
  // first.
  static Result<DeviceTable> Make(const PlacementOptions& options);

  int size() const { return static_cast<int>(models_->size()); }
  const DeviceModel& model(int d) const {
    return (*models_)[static_cast<size_t>(d)];
  }
  const std::string& text(int d) const {
    return texts_[static_cast<size_t>(d)];
  }
  // The wish of a node, any device if it has none. Error: invalid device text.
  Result<const DeviceName*> WishOf(const Node& node);
  // The devices with a kernel for the node.
  const DeviceSet& Running(const Node& node);
  DeviceSet Covered(const DeviceName& wish) const;
  // The first CPU of the job and task in `wish`, else device 0.
  int HostOf(const DeviceName& wish) const;
  // "/device:cpu:0, /device:sim:0"
  std::string List() const;

 private:
  DeviceTable() = default;
  const std::vector<DeviceModel>* models_ = nullptr;
  std::vector<std::string> texts_;
  std::unordered_map<std::string, DeviceName> wishes_;
  std::vector<DeviceSet> by_kinds_;  // by bit set of kinds
  std::vector<DType> dtypes_;        // scratch
};

}  // namespace sluice
