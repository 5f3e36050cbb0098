// What the devices of this process say of themselves to the cost model of
// placement: how quick they are, what they hold, and what is between them.
//
// Plain functions; any thread. The limits are those of now.
#pragma once

#include "sluice/device/device.h"
#include "sluice/placement/device_model.h"

namespace sluice {

// Simulated devices say their figures, GPUs what the driver tells of them; for
// others the default speeds stand. Memory is the device's limit.
DeviceModel ModelOf(Device& device);

// By the slower of both.
LinkModel LinkBetween(Device& a, Device& b);

}  // namespace sluice
