// Late errors: errors on a device after the call that launched the work has
// returned. The next reader of the device's memory receives them.
//
// Thread safe.
#pragma once

#include "sluice/device/device.h"

namespace sluice {

// Keeps only the first error: later ones are consequences.
void NoteLateError(const Device& device, const Status& status);
// The error, or OK; each error is returned once.
Status TakeLateError(const Device& device);

}  // namespace sluice
