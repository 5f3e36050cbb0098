// Work of a GPU: launching its own kernels, and copies between strided places
// in its memory. In builds without CUDA there is no such device, and both
// refuse.
//
// Plain functions; any thread.
#pragma once

#include "sluice/launch/launch_on.h"

namespace sluice {

// Launches the op's kernel on the device's stream, in order with other users
// of the arrays. Unimplemented: no kernel of the GPU serves this call; nothing
// has been done. REQUIRES: the device is a GPU; inputs are in its memory.
Status LaunchOnGpu(Device& device, const LaunchCall& call,
                   const StepContext& step, std::span<Array> inputs,
                   std::span<Array> outputs, const LateError& late);

// REQUIRES: both in that GPU's memory, of equal dtype and shape.
Status CopyOnGpu(Device& device, const Array& from, const Array& to);

}  // namespace sluice
