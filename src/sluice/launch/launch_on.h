// Launches a kernel on any device. On the CPU it has finished on return.
// Elsewhere it runs in stream order: later launches on that device may use its
// outputs at once, and errors are reported later.
//
// Plain functions; the device ensures that one thread at a time launches on its
// stream.
#pragma once

#include <functional>
#include <span>

#include "sluice/device/device.h"
#include "sluice/launch/kernel_call.h"
#include "sluice/op/step_context.h"

namespace sluice {

// Receives the error of a kernel that fails after its launch has returned.
// Called on the thread that notices it.
using LateError = std::function<void(const Status&)>;

struct LaunchCall {
  const OpRecord& op;
  const Attrs& attrs;
  const NodeInfo& node;
  std::span<const DType> out_dtypes;
  const KnownShapes* known = nullptr;
};

// Whether the kernel receives this host number as a launch parameter, so that
// it needs no copy.
bool TakesNumber(const OpRecord& op, const Device& device, const Array& in);

// Moves from `inputs`, as LaunchCpu. Inputs for the host (op/host_inputs) must
// be in host memory, the others on the device; otherwise an error names both.
// `step.memory` is the device's. REQUIRES: the device is not synchronous.
Status LaunchOn(Device& device, const LaunchCall& call, const StepContext& step,
                std::span<Array> inputs, std::span<Array> outputs,
                const LateError& late);

}  // namespace sluice
