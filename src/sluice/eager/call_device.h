// Where an imperative call runs: on the device its operands lie on, and for
// calls that make a tensor of none, on the device of the scope around them.
// Single numbers of the host go where the others are.
//
// A kernel of a device that runs behind the host may fail after the call has
// returned; the next call that waits for that device throws the error.
//
// Plain functions; any thread.
#pragma once

#include <span>

#include "sluice/launch/launch_on.h"

namespace sluice {

// Null: in the host's main memory, where calls take their quick way.
// Error: operands on two devices, both named.
Result<Device*> CallDevice(const OpRecord& op, std::span<const Array> inputs);

// Runs the call there; `inputs` are given up.
Status CallOn(Device& device, const LaunchCall& call, StepContext step,
              std::span<Array> inputs, std::span<Array> outputs);

// A copy for the host to read; the array itself where it can. Waits, and gives
// the error of a kernel that failed meanwhile.
Result<Array> OnHost(const Array& array);

}  // namespace sluice
