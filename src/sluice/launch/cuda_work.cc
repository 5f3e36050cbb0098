#include "sluice/launch/cuda_work.h"

#if defined(SLUICE_CUDA)

#include "sluice/base/small_vector.h"
#include "sluice/base/strings.h"
#include "sluice/device/cuda/cuda_device.h"
#include "sluice/device/cuda/launch_scope.h"
#include "sluice/device/stream_order.h"
#include "sluice/kernels/cuda/move.h"
#include "sluice/launch/call_sizes.h"
#include "sluice/launch/copy_between.h"
#include "sluice/op/run_op.h"

namespace sluice {

namespace {

// Scratch space for one launch: freed in stream order.
Result<Array> Workspace(Device& device, const Kernel& kernel,
                        const LaunchCall& call, std::span<const Array> inputs,
                        std::span<const Array> outputs) {
  CallSizes sizes(call, inputs, outputs);
  int64_t bytes = kernel.workspace(sizes.context());
  if (bytes == 0) return Array();
  return Array::Make(DType::kU8, {bytes}, device.memory().allocator());
}

}  // namespace

Status LaunchOnGpu(Device& device, const LaunchCall& call,
                   const StepContext& step, std::span<Array> inputs,
                   std::span<Array> outputs, const LateError& late) {
  const Kernel& kernel = call.op.kernel(DeviceKind::kCuda);
  if (!kernel.launch) {
    return Unimplemented(StrCat("[", call.op.name, "] has no kernel for GPUs"));
  }
  if (!kernel.strided_inputs) {
    for (Array& in : inputs) {
      if (call.op.shape_only || IsReference(in.dtype())) continue;
      SL_ASSIGN_OR_RETURN(in, ContiguousOn(in));
    }
  }
  SmallVector<Array, 2> before;
  for (const Array& out : outputs) before.push_back(out);
  if (!call.op.dynamic_output) {
    SL_RETURN_IF_ERROR(AllocateOutputs(
        call.op, call.attrs, inputs, call.out_dtypes, outputs, step.memory,
        /*over_input=*/kernel.in_place, call.known));
  }
  KernelContext context(call.op, call.attrs, call.node, step, inputs, outputs);
  Stream& stream = device.stream();
  context.set_device(&device, &stream);
  Array scratch;
  if (kernel.workspace) {
    SL_ASSIGN_OR_RETURN(scratch,
                        Workspace(device, kernel, call, inputs, outputs));
    if (scratch) context.set_workspace(scratch.address());
  }
  auto elements = [](const Array& a) { return a && !IsReference(a.dtype()); };
  for (const Array& in : inputs) {
    if (elements(in)) BeforeRead(stream, in);
  }
  for (const Array& out : outputs) {
    if (elements(out)) BeforeWrite(stream, out);
  }
  static_cast<CudaDevice&>(device).Enter();
  Status launched;
  {
    CudaLaunchScope scope(late);
    launched = kernel.launch(context);
  }
  if (launched.code() == Code::kUnimplemented) {
    std::move(before.begin(), before.end(), outputs.begin());
  }
  SL_RETURN_IF_ERROR(launched);
  for (const Array& in : inputs) {
    if (elements(in)) AfterRead(stream, in);
  }
  for (const Array& out : outputs) {
    if (!elements(out)) continue;
    // An array that the launch created may have been filled on another stream.
    if (call.op.dynamic_output) BeforeWrite(stream, out);
    AfterWrite(stream, out, /*mark=*/false);
  }
  return OkStatus();
}

Status CopyOnGpu(Device& device, const Array& from, const Array& to) {
  static const OpRecord& copy = *new OpRecord;
  static const Attrs& none = *new Attrs;
  NodeInfo node;
  StepContext step;
  KernelContext context(copy, none, node, step, {}, {});
  Stream& stream = device.stream();
  context.set_device(&device, &stream);
  BeforeRead(stream, from);
  BeforeWrite(stream, to);
  SL_RETURN_IF_ERROR(CopyStridedOnGpu(context, from, to));
  AfterRead(stream, from);
  AfterWrite(stream, to, /*mark=*/false);
  return OkStatus();
}

}  // namespace sluice

#else

namespace sluice {

Status LaunchOnGpu(Device&, const LaunchCall&, const StepContext&,
                   std::span<Array>, std::span<Array>, const LateError&) {
  return Unimplemented("this Sluice was built without CUDA");
}
Status CopyOnGpu(Device&, const Array&, const Array&) {
  return Unimplemented("this Sluice was built without CUDA");
}

}  // namespace sluice

#endif
