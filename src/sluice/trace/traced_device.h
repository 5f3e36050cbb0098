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
// TracedDevices belongs to a Capture; on the thread that records.
#pragma once

#include <unordered_map>
#include <vector>

#include "sluice/device/device.h"
#include "sluice/trace/capture.h"

namespace sluice {

class TracedDevices {
 public:
  explicit TracedDevices(const Capture& capture) : capture_(capture) {}

  // Null: not known. What was found out is kept, so that a recording of any
  // length looks at each of its nodes once: operands of a call were looked at
  // when they were operands before.
  Device* Of(const Value& value);

 private:
  struct Found {
    Device* device = nullptr;
    bool done = false;  // else it is being found out
  };
  // What it follows from is found out before it: told now, or put on todo_.
  Device* Ask(const Value& value);
  Device* Look(const Value& value);
  Device* OfOperands(const Node& node);
  Device* OfArg(const Value& value);

  const Capture& capture_;
  // Nodes that a recording takes back stay in the graph's memory.
  std::unordered_map<Value, Found, ValueHash> found_;
  std::vector<Value> todo_;
};

}  // namespace sluice
