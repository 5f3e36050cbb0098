// Launching a kernel on any device. On the CPU it is over when the call
// returns; elsewhere it runs in the order of the device's stream, outputs may
// be used by later launches there at once, and what goes wrong is told later.
//
// Plain functions; one thread at a time launches on a device's stream, which
// the device sees to.
#pragma once

#include <functional>
#include <span>

#include "sluice/device/device.h"
#include "sluice/launch/kernel_call.h"
#include "sluice/op/step_context.h"

namespace sluice {

// Hears of a kernel that failed after its launch had returned. Called from
// whichever thread notices.
using LateError = std::function<void(const Status&)>;

struct LaunchCall {
  const OpRecord& op;
  const Attrs& attrs;
  const NodeInfo& node;
  std::span<const DType> out_dtypes;
  const KnownShapes* known = nullptr;
};

// Whether the kernel takes this number of the host along with its launch, so
// that nothing needs to be copied.
bool TakesNumber(const OpRecord& op, const Device& device, const Array& in);

// `inputs` are given up, as in LaunchCpu. Those the host reads (op/host_inputs)
// are in host memory, the others on the device, or it is an error that names
// both. `step.memory` is the device's. REQUIRES: the device is not synchronous.
Status LaunchOn(Device& device, const LaunchCall& call, const StepContext& step,
                std::span<Array> inputs, std::span<Array> outputs,
                const LateError& late);

}  // namespace sluice
