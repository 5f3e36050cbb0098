// The CPU as a device: host memory, and streams on which everything is done
// when it is issued. Device 0 is the host as it always was; further ones share
// its cores and count memory of their own.
#pragma once

#include "sluice/device/device.h"

namespace sluice {

std::unique_ptr<Device> MakeCpuDevice(int index);

}  // namespace sluice
