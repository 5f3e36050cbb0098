// What went wrong on a device after the call that asked for it had returned,
// and nobody is left to be told: the next reader of the device's memory is.
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
