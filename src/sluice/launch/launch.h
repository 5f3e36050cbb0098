// Launches the kernel of one node: allocates or forwards outputs, then runs. An
// unshared input may become the output. Plain functions; any thread.
#pragma once

#include <span>

#include "sluice/launch/kernel_call.h"
#include "sluice/op/step_context.h"

namespace sluice {

// REQUIRES: call.block.fn.
Status LaunchElementwise(const KernelCall& call, const StepContext& step,
                         std::span<Array> inputs, Array* output);
// REQUIRES: node is call.node.
Status LaunchKernel(const Node& node, const KernelCall& call,
                    const StepContext& step, std::span<Array> inputs,
                    std::span<Array> outputs);

}  // namespace sluice
