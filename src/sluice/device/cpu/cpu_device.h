// The CPU as a device: host memory, and streams that complete all work when it
// is issued. Device 0 is the host itself; further ones share its cores and
// count their own memory. Lives as long as the process. Thread safe.
#pragma once

#include "sluice/device/device.h"

namespace sluice {

std::unique_ptr<Device> MakeCpuDevice(int index);

}  // namespace sluice
