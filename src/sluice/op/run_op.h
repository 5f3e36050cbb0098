// Runs one op now, on the CPU: resolve, infer, allocate, launch. This is the
// naive path, for constant folding, the reference interpreter and tests.
#pragma once

#include <span>
#include <vector>

#include "sluice/op/known_shapes.h"
#include "sluice/op/record.h"

namespace sluice {

// Waits for asynchronous kernels. `step` may be null for pure ops.
Result<std::vector<Array>> RunOp(const OpRecord& op, const Attrs& attrs,
                                 std::span<const Array> inputs,
                                 const StepContext* step = nullptr,
                                 const NodeInfo* node = nullptr);

// The middle part, for executors that have already resolved the call: makes
// inputs contiguous if the kernel requires that, allocates outputs by the shape
// function and launches. An in_place() op overwrites input 0 if output 0 is
// that same array, or if nobody else holds input 0. `inputs` are therefore
// consumed: the caller keeps references to those it still needs and moves in
// the others, so that lists are written in place. `known` may be null.
// `steady`: nobody writes the inputs while the kernel runs; otherwise the
// kernel gets copies of the inputs that it reads as indices
// (op/steady_inputs.h). REQUIRES: a synchronous CPU kernel.
Status LaunchCpu(const OpRecord& op, const Attrs& attrs, const NodeInfo& node,
                 const StepContext& step, std::span<Array> inputs,
                 std::span<const DType> out_dtypes, std::span<Array> outputs,
                 const KnownShapes* known = nullptr, bool steady = false);

// The last part: runs only the kernel, with its workspace, on existing inputs
// and outputs.
Status RunCpuKernel(KernelContext& context, std::span<const DType> out_dtypes);

// Allocates outputs for these inputs by the shape function, or by `known` if it
// fits. `over_input`: the inputs are given up, and output 0 of an in_place() op
// may be input 0. `memory`: as in StepContext.
Status AllocateOutputs(const OpRecord& op, const Attrs& attrs,
                       std::span<const Array> inputs,
                       std::span<const DType> out_dtypes,
                       std::span<Array> outputs, Memory* memory = nullptr,
                       bool over_input = false,
                       const KnownShapes* known = nullptr);

}  // namespace sluice
