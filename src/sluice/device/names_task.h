// Whether a device's name says a task, or a job of them: what it names is then
// for a cluster to find, and not among the devices of this process.
//
// A plain function; any thread.
#pragma once

#include <string_view>

#include "sluice/device/device_name.h"

namespace sluice {

inline bool NamesTask(const DeviceName& name) {
  return !name.job.empty() || name.task;
}

// False where the text is no name.
inline bool NamesTask(std::string_view device) {
  if (device.empty()) return false;
  Result<DeviceName> name = DeviceName::Parse(device);
  return name.ok() && NamesTask(*name);
}

}  // namespace sluice
