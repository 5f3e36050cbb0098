// Which kinds of device can run an op: asked by placement before a device is
// chosen and by launches before one is used, so that both agree.
//
// No state; any thread.
#pragma once

#include <span>

#include "sluice/op/record.h"

namespace sluice {

// `dtypes`: of all inputs and outputs of the call. Strings lie on the host and
// are read there only. A simulated device runs the host's own kernels where
// these are plain functions of plain elements.
bool RunsOn(const OpRecord& op, DeviceKind kind, std::span<const DType> dtypes);

// Whether the host has code for it that is done on return: what is known
// beforehand can be computed whatever devices there are.
bool HasHostCode(const OpRecord& op);

// Whether the host can do it for a simulated device once that is idle: ops of
// lists, so that lists stay where their elements are.
bool RunsWhenIdle(const OpRecord& op, DeviceKind kind,
                  std::span<const DType> dtypes);

}  // namespace sluice
