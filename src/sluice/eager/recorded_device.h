// Where a call in a recorded function will run, by the rule for imperative
// calls (eager/call_device.h): on the device its operands lie on, of which
// there must be only one. Single numbers on the host move to the device of the
// others, and so do numbers and lists that the source writes down as operands.
//
// On the thread that records.
#pragma once

#include <span>

#include "sluice/eager/recording.h"

namespace sluice {

// `inputs` are null for operands that are no tensors. Null: it is left to
// placement, or to the scope around. Error: operands on two devices, both
// named.
Result<Device*> RecordedDevice(Recording& recording, const OpRecord& op,
                               std::span<const EagerRef> inputs);

// The name such a call's node gets, in a scope that says `scope`: where nothing
// but the host is known of, and nothing else is said, none. A task that is said
// holds whatever the operands lie on.
std::string RecordedDeviceName(const Device* device, const std::string& scope);

// A result on another device cannot be written in place.
Status CheckWrittenThere(Recording& recording, const OpRecord& op,
                         EagerValue& target, EagerValue& made);

}  // namespace sluice
