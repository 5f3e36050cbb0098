#include "sluice/executor/launch.h"

#include "sluice/op/elementwise_kernel.h"
#include "sluice/op/run_op.h"
#include "sluice/op/signature.h"

namespace sluice {

namespace {

// The output shape of an elementwise op where that is one of its inputs': equal
// shapes and scalars, by far the most common. Null: ask the shape function.
const Shape* EasyShape(const PlanNodeInfo& info, std::span<Array> inputs) {
  if (info.node->op().shape != shapes::broadcast) return nullptr;
  const Shape* widest = &inputs[0].shape();
  for (const Array& in : inputs.subspan(1)) {
    if (in.rank() == 0 || in.shape() == *widest) continue;
    if (widest->rank() != 0) return nullptr;
    widest = &in.shape();
  }
  return widest;
}

}  // namespace

Status LaunchElementwise(const PlanNodeInfo& info, const StepContext& step,
                         std::span<Array> inputs, Array* output) {
  DType dtype = info.out_dtypes[0];
  const Shape* shape = EasyShape(info, inputs);
  Array made;
  if (!shape) [[unlikely]] {
    SL_RETURN_IF_ERROR(AllocateOutputs(info.node->op(), info.node->attrs(),
                                       inputs, info.out_dtypes, {&made, 1}));
    shape = &made.shape();
  }
  for (Array& in : inputs) {
    if (in.unique() && in.contiguous() &&
        DTypeSize(in.dtype()) == DTypeSize(dtype) && in.shape() == *shape) {
      *output = in.dtype() == dtype ? in : Array::Reinterpret(in, dtype);
      break;
    }
  }
  if (!*output && made) *output = std::move(made);
  if (!*output) {
    Result<Array> fresh = Array::Make(dtype, *shape);
    if (!fresh.ok()) return InOp(info.node->op(), fresh.status());
    *output = *std::move(fresh);
  }
  KernelContext context(info.node->op(), info.node->attrs(), info.info, step,
                        inputs, {output, 1});
  return RunBlock(context, info.block);
}

std::unique_ptr<KnownShapes> KernelShapes(const Node& node) {
  const OpRecord& op = node.op();
  if (node.num_outputs() == 0 || op.dynamic_output || op.async()) {
    return nullptr;
  }
  std::vector<DType> dtypes, out_dtypes;
  std::vector<PartialShape> shapes;
  for (const Value& v : node.inputs()) {
    dtypes.push_back(v.dtype());
    shapes.push_back(v.shape());
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    out_dtypes.push_back(node.output_type(i).dtype);
  }
  return KnownShapes::Of(op, node.attrs(), dtypes, shapes, out_dtypes);
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
  // What is fed for places is copied by the step (executor/steady_args.h), and
  // what a kernel has made nobody writes.
  return LaunchCpu(*node.op, node.node->attrs(), info.info, step, inputs,
                   info.out_dtypes, outputs, info.shapes.get(),
                   /*steady=*/true);
}

}  // namespace sluice
