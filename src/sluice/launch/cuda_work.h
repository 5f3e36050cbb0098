// GPU work: launches the GPU's own kernels, and copies between strided
// locations in its memory. Builds without CUDA have no such device; there both
// functions return an error.
//
// Plain functions; any thread.
#pragma once

#include "sluice/launch/launch_on.h"

namespace sluice {

// Launches the op's kernel on the device's stream, ordered with other users of
// the arrays. Unimplemented: no GPU kernel supports this call, and nothing was
// done. REQUIRES: the device is a GPU; inputs are in its memory.
Status LaunchOnGpu(Device& device, const LaunchCall& call,
                   const StepContext& step, std::span<Array> inputs,
                   std::span<Array> outputs, const LateError& late);

// REQUIRES: both are in the memory of that GPU, with equal dtype and shape.
Status CopyOnGpu(Device& device, const Array& from, const Array& to);

}  // namespace sluice
