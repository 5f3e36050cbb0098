// The CPU as a device: host memory, and a stream on which everything is done
// when it is issued.
#pragma once

#include "sluice/device/device.h"

namespace sluice {

Device& CpuDevice();

}  // namespace sluice
