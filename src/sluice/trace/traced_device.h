// Where values of a function being recorded will lie: what imperative code
// would find out from their arrays, found out from the graph. Arguments and
// tensors around lie where they do in the call that is recorded, and a trace
// serves calls with the same devices alone (trace/function_trace.h); what is
// made of them lies where they do. Of constants, and of what follows from them
// alone, nothing is known: they go where they are read.
//
// Plain functions; on the thread that records.
#pragma once

#include <span>

#include "sluice/device/device.h"
#include "sluice/trace/capture.h"

namespace sluice {

// Null: not known.
Device* DeviceOfValue(const Capture& capture, const Value& value);

// The device that a call on these runs on; null: it is left to placement.
// Error: operands on two devices, as imperatively.
Result<const Device*> TracedDevice(const Capture& capture, const OpRecord& op,
                                   std::span<const Value> inputs);

}  // namespace sluice
