// Where values of a function being recorded will lie: what imperative code
// would find out from their arrays, found out from the graph. Arguments and
// tensors around lie where they do in the call that is recorded, and a trace
// serves calls with the same devices alone (trace/function_trace.h); what is
// made of them lies where they do. What is made of nothing lies where the scope
// around says, whose name its node has, else on the default device.
//
// That is what calls are told and checked by (eager/recorded_device.h). Nodes
// that name no device are placed where they are read all the same: zeros that
// are moved to a device are made there.
//
// Plain functions; on the thread that records.
#pragma once

#include "sluice/device/device.h"
#include "sluice/trace/capture.h"

namespace sluice {

// Null: not known.
Device* DeviceOfValue(const Capture& capture, const Value& value);

}  // namespace sluice
