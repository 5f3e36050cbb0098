// Errors on a device that happen after the call that asked for the work has
// returned: the next reader of the device's memory gets them.
//
// Thread safe.
#pragma once

#include "sluice/device/device.h"

namespace sluice {

// The first counts: others follow from it.
void NoteLateError(const Device& device, const Status& status);
// OK when there is none; told once.
Status TakeLateError(const Device& device);

}  // namespace sluice
