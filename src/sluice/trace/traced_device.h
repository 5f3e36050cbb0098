// The devices of values of a function being recorded: imperative code reads
// them from arrays, a recording infers them from the graph. Arguments and
// captured tensors are on their devices in the recorded call, and a trace is
// valid only for calls with the same devices (trace/function_trace.h). Results
// are on the device of their operands. Results without operands are on the
// device of the enclosing scope, which is the device name of their node, else
// on the default device.
//
// Calls are told and checked by these devices (eager/recorded_device.h).
// Placement of nodes that name no device still follows their readers: zeros
// that are moved to a device are made there.
//
// TracedDevices belongs to a Capture; used on the thread that records.
#pragma once

#include <unordered_map>
#include <vector>

#include "sluice/device/device.h"
#include "sluice/trace/capture.h"

namespace sluice {

class TracedDevices {
 public:
  explicit TracedDevices(const Capture& capture) : capture_(capture) {}

  // Null: unknown. Results are memoized, so that a recording visits each of its
  // nodes once.
  Device* Of(const Value& value);

 private:
  struct Found {
    Device* device = nullptr;
    bool done = false;  // else: in progress
  };
  // Its dependencies are resolved first: either known, or pushed onto todo_.
  Device* Ask(const Value& value);
  Device* Look(const Value& value);
  Device* OfOperands(const Node& node);
  Device* OfArg(const Value& value);

  const Capture& capture_;
  // Nodes that a recording discards stay in the graph's memory.
  std::unordered_map<Value, Found, ValueHash> found_;
  std::vector<Value> todo_;
};

}  // namespace sluice
