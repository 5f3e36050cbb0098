// How records enter the registry; only registrations call this.
#pragma once

#include "sluice/op/record.h"

namespace sluice::registry_internal {

void AddOp(OpRecord record);
void AddKernel(std::string_view op, DeviceKind device, Kernel kernel);
// For every elementwise op that has no kernel of its own there.
void AddElementwiseKernel(DeviceKind device, Kernel kernel);

}  // namespace sluice::registry_internal
