// Launching one node's kernel on the token machine: allocate or forward, then
// run. An input nobody else holds may become the output.
#pragma once

#include <span>

#include "sluice/executor/plan.h"
#include "sluice/op/step_context.h"

namespace sluice {

// What a plan knows of the outputs of a kernel's node, for PlanNodeInfo.
std::unique_ptr<KnownShapes> KernelShapes(const Node& node);

// REQUIRES: info.block.fn.
Status LaunchElementwise(const PlanNodeInfo& info, const StepContext& step,
                         std::span<Array> inputs, Array* output);
Status LaunchKernel(const PlanNode& node, const PlanNodeInfo& info,
                    const StepContext& step, std::span<Array> inputs,
                    std::span<Array> outputs);

}  // namespace sluice
