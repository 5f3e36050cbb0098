// Enters records into the registry; for registrations only.
#pragma once

#include "sluice/op/record.h"

namespace sluice::registry_internal {

void AddOp(OpRecord record);
void AddKernel(std::string_view op, DeviceKind device, Kernel kernel);
// For every elementwise op without a kernel of its own for the device.
void AddElementwiseKernel(DeviceKind device, Kernel kernel);

}  // namespace sluice::registry_internal
