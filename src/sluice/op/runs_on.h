// The kinds of device that can run an op. Placement asks before it chooses a
// device, and launches before they use one, so that both agree.
//
// No state; any thread.
#pragma once

#include <span>

#include "sluice/op/record.h"

namespace sluice {

// `dtypes`: of all inputs and outputs of the call. Strings are in host memory
// and only read there. A simulated device runs the host's kernels if these are
// pure functions of plain elements.
bool RunsOn(const OpRecord& op, DeviceKind kind, std::span<const DType> dtypes);

// Whether the host has code for it that has finished on return: calls on known
// values can be computed whatever devices exist.
bool HasHostCode(const OpRecord& op);

// Whether the host can run it for a simulated device once that device is idle:
// for ops on lists, so that lists stay with their elements.
bool RunsWhenIdle(const OpRecord& op, DeviceKind kind,
                  std::span<const DType> dtypes);

}  // namespace sluice
