#include "sluice/executor/launch.h"

#include "sluice/op/elementwise_kernel.h"
#include "sluice/op/run_op.h"
#include "sluice/op/signature.h"

namespace sluice {

namespace {

// The output shape of an elementwise op. Equal shapes and scalars, by far the
// most common, need no shape function.
Result<Shape> ElementwiseShape(const PlanNodeInfo& info,
                               std::span<Array> inputs) {
  if (info.node->op().shape == shapes::broadcast) {
    const Shape* widest = &inputs[0].shape();
    bool easy = true;
    for (const Array& in : inputs.subspan(1)) {
      if (in.shape() == *widest || in.rank() == 0) continue;
      if (widest->rank() == 0) {
        widest = &in.shape();
      } else {
        easy = false;
        break;
      }
    }
    if (easy) return *widest;
  }
  Array out;
  SL_RETURN_IF_ERROR(AllocateOutputs(info.node->op(), info.node->attrs(),
                                     inputs, info.out_dtypes, {&out, 1}));
  return out.shape();
}

}  // namespace

Status LaunchElementwise(const PlanNodeInfo& info, const StepContext& step,
                         std::span<Array> inputs, Array* output) {
  SL_ASSIGN_OR_RETURN(Shape shape, ElementwiseShape(info, inputs));
  DType dtype = info.out_dtypes[0];
  for (Array& in : inputs) {
    if (in.unique() && in.contiguous() &&
        DTypeSize(in.dtype()) == DTypeSize(dtype) && in.shape() == shape) {
      *output = in.dtype() == dtype ? in : Array::Reinterpret(in, dtype);
      break;
    }
  }
  if (!*output) {
    Result<Array> made = Array::Make(dtype, shape);
    if (!made.ok()) return InOp(info.node->op(), made.status());
    *output = *std::move(made);
  }
  KernelContext context(info.node->op(), info.node->attrs(), info.info, step,
                        inputs, {output, 1});
  return RunBlock(context, info.block);
}

Status LaunchKernel(const PlanNode& node, const PlanNodeInfo& info,
                    const StepContext& step, std::span<Array> inputs,
                    std::span<Array> outputs) {
  if (node.num_inputs == 0 && node.num_outputs == 0) {
    // Nothing to check, view or allocate: `info` is named but not read, which
    // in a large graph saves a cache miss.
    KernelContext context(*node.op, node.node->attrs(), info.info, step, {},
                          {});
    return node.op->kernel(DeviceKind::kCpu).launch(context);
  }
  return LaunchCpu(*node.op, node.node->attrs(), info.info, step, inputs,
                   info.out_dtypes, outputs);
}

}  // namespace sluice
