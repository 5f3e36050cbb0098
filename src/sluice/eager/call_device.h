// The device an imperative call runs on: the one its operands lie on; for calls
// that make a tensor from none, that of the enclosing scope. Single numbers on
// the host move to the device of the other operands.
//
// A kernel of a device that runs behind the host may fail after the call has
// returned; the next call that waits for that device throws the error.
//
// Plain functions; any thread.
#pragma once

#include <span>

#include "sluice/eager/eager_value.h"
#include "sluice/launch/launch_on.h"

namespace sluice {

// The device for tensors that are made from no other: that of the enclosing
// scope, else the process's (Devices::Default). Null: the host's main memory.
Device* MakingDevice();

// Operands on two devices: both named, by their numbers among the op's inputs.
Status OnTwoDevices(const OpRecord& op, int a, const std::string& a_type,
                    const Device& a_device, int b, const std::string& b_type,
                    const Device& b_device);

// A result in place of a tensor on another device.
Status WrittenElsewhere(const OpRecord& op, const std::string& type,
                        const Device& made_on, const Device& target_on);

// Changes operands written down in the source (lists, arrays of other
// libraries) in place: they move to the device of the tensors among the
// operands; without tensors, to MakingDevice(), numbers included. Sizes, which
// the host reads before the call, stay on the host.
Status BringLiterals(const OpRecord& op, std::span<EagerValue* const> inputs,
                     std::span<const EagerRef> literals);

// Whether the call reads elements of input `i` of `count` where it runs: not
// references, and not sizes, which the host reads before.
bool ReadOnDevice(const OpRecord& op, const Array& in, size_t i, size_t count);

// Null: in the host's main memory, where calls take their quick way.
// Error: operands on two devices, both named.
Result<Device*> CallDevice(const OpRecord& op, std::span<const Array> inputs);

// Runs the call there, or on the host where strings are read or made. Consumes
// `inputs`.
Status CallOn(Device& device, const LaunchCall& call, StepContext step,
              std::span<Array> inputs, std::span<Array> outputs);

// A copy for the host to read; the array itself where it can. Waits, and gives
// the error of a kernel that failed meanwhile.
Result<Array> OnHost(const Array& array);

// Waits until the device has done all that it was given, and gives the error of
// a kernel that failed meanwhile.
Status WaitForDevice(Device& device);

}  // namespace sluice
