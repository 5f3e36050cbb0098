#include "sluice/launch/launch.h"

#include "sluice/op/elementwise_kernel.h"
#include "sluice/op/kernel_times.h"
#include "sluice/op/run_op.h"
#include "sluice/op/signature.h"
#include "sluice/tensor/adopt.h"
#include "sluice/tensor/live_blocks.h"

namespace sluice {

namespace {

// The output shape of an elementwise op if it equals an input's shape: equal
// shapes and scalars, by far the most common cases. Null: ask the shape
// function.
const Shape* EasyShape(const KernelCall& call, std::span<Array> inputs) {
  if (call.node->op().shape != shapes::broadcast) return nullptr;
  const Shape* widest = &inputs[0].shape();
  for (const Array& in : inputs.subspan(1)) {
    if (in.rank() == 0 || in.shape() == *widest) continue;
    if (widest->rank() != 0) return nullptr;
    widest = &in.shape();
  }
  return widest;
}

}  // namespace

Status LaunchElementwise(const KernelCall& call, const StepContext& step,
                         std::span<Array> inputs, Array* output) {
  AllocatesFor site(call.node->op().name, call.info.line);
  TimedKernel timed(call.node->op().name, call.info.line);
  DType dtype = call.out_dtypes[0];
  const Shape* shape = EasyShape(call, inputs);
  Array made;
  if (!shape) [[unlikely]] {
    SL_RETURN_IF_ERROR(AllocateOutputs(call.node->op(), call.node->attrs(),
                                       inputs, call.out_dtypes, {&made, 1},
                                       step.memory));
    shape = &made.shape();
  }
  for (Array& in : inputs) {
    bool fits =
        in.dtype() == dtype || DTypeSize(in.dtype()) == DTypeSize(dtype);
    if (!fits || !in.unique() || !in.contiguous() || !(in.shape() == *shape) ||
        !Adopt(in, step.memory)) {
      continue;
    }
    if (in.dtype() != dtype) {
      *output = Array::Reinterpret(in, dtype);
      break;
    }
    // The input becomes the output: this avoids incrementing and decrementing
    // its count.
    KernelContext context(call.node->op(), call.node->attrs(), call.info, step,
                          inputs, {&in, 1});
    SL_RETURN_IF_ERROR(RunBlock(context, call.block));
    timed.Did(call.node->op(), call.node->attrs(), inputs, {&in, 1});
    *output = std::move(in);
    return OkStatus();
  }
  if (!*output && made) *output = std::move(made);
  if (!*output) {
    Result<Array> fresh = Array::Make(dtype, *shape, AllocatorOf(step.memory));
    if (!fresh.ok()) return InOp(call.node->op(), fresh.status());
    *output = *std::move(fresh);
  }
  KernelContext context(call.node->op(), call.node->attrs(), call.info, step,
                        inputs, {output, 1});
  Status status = RunBlock(context, call.block);
  timed.Did(call.node->op(), call.node->attrs(), inputs, {output, 1});
  return status;
}

Status LaunchKernel(const Node& node, const KernelCall& call,
                    const StepContext& step, std::span<Array> inputs,
                    std::span<Array> outputs) {
  const OpRecord& op = node.op();
  if (inputs.empty() && outputs.empty()) {
    // Nothing to check, view or allocate: `call` is passed but not read, which
    // in a large graph saves a cache miss.
    TimedKernel timed(op.name, node.line());
    KernelContext context(op, node.attrs(), call.info, step, {}, {});
    return op.cpu().launch(context);
  }
  // The step copies fed arrays that are read as indices (plan/steady_args.h),
  // and nobody writes to results of kernels.
  return LaunchCpu(op, node.attrs(), call.info, step, inputs, call.out_dtypes,
                   outputs, call.shapes.get(), /*steady=*/true);
}

}  // namespace sluice
