#include "sluice/op/elementwise_kernel.h"

#include "sluice/op/block_program.h"
#include "sluice/op/record.h"
#include "sluice/tensor/strided.h"

namespace sluice {

Result<bool> RunElementwise(KernelContext& context) {
  const OpRecord& op = context.op();
  int n = context.num_inputs();
  if (n > kMaxBlockInputs) return false;
  DType dtypes[kMaxBlockInputs];
  for (int i = 0; i < n; ++i) dtypes[i] = context.in(i).dtype();
  const Array& out = context.out(0);
  BlockKernel kernel =
      op.block(context.attrs(), {dtypes, static_cast<size_t>(n)}, out.dtype());
  if (!kernel.fn) return false;
  SL_RETURN_IF_ERROR(RunBlock(context, kernel));
  return true;
}

Status RunBlock(KernelContext& context, const BlockKernel& kernel) {
  int n = context.num_inputs();
  const Array& out = context.out(0);
  if (out.num_elements() == 0) return OkStatus();

  // The common case needs no program: everything lies in a row and is short.
  bool plain = out.num_elements() <= 4096;
  for (int i = 0; i < n && plain; ++i) {
    plain = context.in(i).contiguous() &&
            context.in(i).num_elements() == out.num_elements();
  }
  if (plain) {
    const void* in[kMaxBlockInputs] = {};
    for (int i = 0; i < n; ++i) in[i] = context.in(i).raw();
    kernel.fn(out.mutable_raw(), in, out.num_elements(), kernel.params);
    return OkStatus();
  }

  BlockProgram program;
  int operands[kMaxBlockInputs];
  void* data[kMaxBlockInputs + 1];
  for (int i = 0; i < n; ++i) {
    const Array& x = context.in(i);
    Strides strides = BroadcastStrides(x, out.shape());
    operands[i] = program.AddInput(
        x.dtype(),
        BlockProgram::AccessFor(x.num_elements(), out.shape(), strides),
        strides);
    data[i] = x.mutable_raw();
  }
  int result = program.AddOutput(out.dtype());
  data[n] = out.mutable_raw();
  program.AddOp(kernel, {operands, static_cast<size_t>(n)}, out.dtype(),
                result);
  program.Finish(out.shape());
  program.Run({data, static_cast<size_t>(n) + 1}, context.step().pool);
  return OkStatus();
}

}  // namespace sluice
