// Tells whether a device name has a task or a job. Such a device is found by a
// cluster and is not among the devices of this process.
//
// A plain function; any thread.
#pragma once

#include <string_view>

#include "sluice/device/device_name.h"

namespace sluice {

inline bool NamesTask(const DeviceName& name) {
  return !name.job.empty() || name.task;
}

// False if the text is not a device name.
inline bool NamesTask(std::string_view device) {
  if (device.empty()) return false;
  Result<DeviceName> name = DeviceName::Parse(device);
  return name.ok() && NamesTask(*name);
}

}  // namespace sluice
