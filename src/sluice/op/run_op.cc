#include "sluice/op/run_op.h"

#include <condition_variable>
#include <new>

#include "sluice/base/strings.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/op/async_launch.h"
#include "sluice/op/elementwise_kernel.h"
#include "sluice/op/kernel_times.h"
#include "sluice/op/signature.h"
#include "sluice/op/steady_inputs.h"
#include "sluice/tensor/live_blocks.h"
#include "sluice/tensor/strided.h"

namespace sluice {

namespace {

// Waits for an asynchronous kernel: only for the naive path, which may block a
// thread.
class WaitingContext final : public AsyncContext {
 public:
  using AsyncContext::AsyncContext;

  void Done(Status status) override {
    MutexLock lock(mu_);
    status_ = std::move(status);
    done_ = true;
    cv_.notify_all();
  }
  Status Wait() {
    MutexLock lock(mu_);
    while (!done_) cv_.wait(mu_);
    return status_;
  }

 private:
  Mutex mu_;
  std::condition_variable_any cv_;
  bool done_ SL_GUARDED_BY(mu_) = false;
  Status status_ SL_GUARDED_BY(mu_);
};

}  // namespace

namespace {

// Storage for the operands of a shape function: on the stack for the usual few,
// of which only as many as needed are initialized.
template <class T>
class FewOf {
 public:
  explicit FewOf(size_t n) : n_(n) {
    if (n > kInline) {
      heap_.resize(n);
      data_ = heap_.data();
    } else {
      data_ = reinterpret_cast<T*>(inline_);
      for (size_t i = 0; i < n; ++i) new (data_ + i) T();
    }
  }
  T& operator[](size_t i) { return data_[i]; }
  std::span<T> all() { return {data_, n_}; }

 private:
  static_assert(std::is_trivially_destructible_v<T>);
  static constexpr size_t kInline = 6;
  size_t n_;
  T* data_;
  alignas(T) unsigned char inline_[kInline * sizeof(T)];
  std::vector<T> heap_;
};

}  // namespace

namespace {

// Whether an in-place op may overwrite its first input: either the caller
// passes that array as the output, or nobody else holds it.
bool WritesOver(std::span<const Array> inputs, const Array& output) {
  if (inputs.empty() || !inputs[0].contiguous()) return false;
  if (output) return output.address() == inputs[0].address();
  return inputs[0].unique();
}

Status AllocateOutput(const OpRecord& op, std::span<const Array> inputs,
                      DType dtype, const Shape& shape, Memory* memory,
                      bool over_input, Array* output) {
  // An array of another CPU device stays accounted to that device.
  if (over_input && op.cpu().in_place && WritesOver(inputs, *output) &&
      inputs[0].dtype() == dtype && inputs[0].shape() == shape &&
      inputs[0].memory() == memory) {
    *output = inputs[0];
    return OkStatus();
  }
  Result<Array> made = Array::Make(dtype, shape, AllocatorOf(memory));
  if (!made.ok()) return InOp(op, made.status());
  *output = *std::move(made);
  return OkStatus();
}

// The result shape of an elementwise op on tensors of one shape and scalars;
// null: the shape function must be asked.
const Shape* ShapeOfAll(const OpRecord& op, std::span<const Array> inputs,
                        size_t num_outputs) {
  if (!op.block || op.shape != shapes::broadcast || num_outputs != 1) {
    return nullptr;
  }
  const Shape* shape = nullptr;
  for (const Array& in : inputs) {
    if (in.rank() == 0) continue;
    if (shape && !(*shape == in.shape())) return nullptr;
    shape = &in.shape();
  }
  return shape;
}

}  // namespace

Status AllocateOutputs(const OpRecord& op, const Attrs& attrs,
                       std::span<const Array> inputs,
                       std::span<const DType> out_dtypes,
                       std::span<Array> outputs, Memory* memory,
                       bool over_input, const KnownShapes* known) {
  if (known && known->Fits(inputs)) {
    for (size_t i = 0; i < out_dtypes.size(); ++i) {
      SL_RETURN_IF_ERROR(AllocateOutput(op, inputs, out_dtypes[i],
                                        known->out(i), memory,
                                        over_input && i == 0, &outputs[i]));
    }
    return OkStatus();
  }
  if (out_dtypes.empty() && (inputs.empty() || op.shape == shapes::none)) {
    return OkStatus();  // ops that write, in most cases
  }
  if (const Shape* shape = ShapeOfAll(op, inputs, out_dtypes.size())) {
    return AllocateOutput(op, inputs, out_dtypes[0], Shape(*shape), memory,
                          over_input, &outputs[0]);
  }
  FewOf<DType> dtypes(inputs.size());
  FewOf<PartialShape> shapes(inputs.size()), out(out_dtypes.size());
  FewOf<const Array*> values(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    dtypes[i] = inputs[i].dtype();
    shapes[i] = inputs[i].shape();
    values[i] = &inputs[i];
  }
  ShapeContext context(op, attrs, dtypes.all(), shapes.all(), values.all(),
                       out_dtypes, out.all());
  SL_RETURN_IF_ERROR(InOp(op, op.shape(context)));
  for (size_t i = 0; i < out_dtypes.size(); ++i) {
    if (!out[i].fully_known()) {
      return Internal(StrCat("[", op.name, "] shape of output ", i, " is ",
                             out[i], " with all inputs known"));
    }
    SL_RETURN_IF_ERROR(AllocateOutput(op, inputs, out_dtypes[i],
                                      out[i].ToShape(), memory,
                                      over_input && i == 0, &outputs[i]));
  }
  return OkStatus();
}

Status RunCpuKernel(KernelContext& context, std::span<const DType> out_dtypes) {
  const OpRecord& op = context.op();
  const Attrs& attrs = context.attrs();
  const StepContext& step = context.step();
  auto inputs = static_cast<size_t>(context.num_inputs());
  auto outputs = static_cast<size_t>(context.num_outputs());
  if (op.block) {
    Result<bool> ran = RunElementwise(context);
    if (!ran.ok()) return ran.status();
    if (*ran) return OkStatus();
  }
  const Kernel& kernel = op.cpu();
  if (!kernel.launch) {
    return Unimplemented(
        StrCat("[", op.name, "] has no CPU kernel for these types"));
  }
  Array workspace;
  if (kernel.workspace) {
    FewOf<DType> dtypes(inputs);
    FewOf<PartialShape> shapes(inputs), out_shapes(outputs);
    FewOf<const Array*> values(inputs);
    for (size_t i = 0; i < inputs; ++i) {
      dtypes[i] = context.in(static_cast<int>(i)).dtype();
      shapes[i] = context.in(static_cast<int>(i)).shape();
      values[i] = &context.in(static_cast<int>(i));
    }
    for (size_t i = 0; i < outputs; ++i) {
      out_shapes[i] = context.out(static_cast<int>(i)).shape();
    }
    ShapeContext sizes(op, attrs, dtypes.all(), shapes.all(), values.all(),
                       out_dtypes, out_shapes.all());
    const int64_t bytes[] = {kernel.workspace(sizes)};
    SL_ASSIGN_OR_RETURN(Shape scratch, Shape::Make(bytes));
    SL_ASSIGN_OR_RETURN(
        workspace, Array::Make(DType::kU8, scratch, AllocatorOf(step.memory)));
    context.set_workspace(workspace.mutable_raw());
  }
  return kernel.launch(context);
}

namespace {

Status Launch(const OpRecord& op, const Attrs& attrs, const NodeInfo& node,
              const StepContext& step, std::span<Array> inputs,
              std::span<const DType> out_dtypes, std::span<Array> outputs,
              const KnownShapes* known) {
  TimedKernel timed(op.name, node.line);
  KernelContext context(op, attrs, node, step, inputs, outputs);
  if (op.view && op.view(context, &outputs[0])) return OkStatus();
  if (!op.cpu().strided_inputs) {
    for (Array& in : inputs) {
      if (!in.contiguous()) {
        SL_ASSIGN_OR_RETURN(in, MakeContiguous(in, step.pool));
      }
    }
  }
  if (!op.dynamic_output) {
    SL_RETURN_IF_ERROR(AllocateOutputs(op, attrs, inputs, out_dtypes, outputs,
                                       step.memory, /*over_input=*/true,
                                       known));
  }
  Status status = RunCpuKernel(context, out_dtypes);
  timed.Did(op, attrs, inputs, outputs);
  return status;
}

}  // namespace

Status LaunchCpu(const OpRecord& op, const Attrs& attrs, const NodeInfo& node,
                 const StepContext& step, std::span<Array> inputs,
                 std::span<const DType> out_dtypes, std::span<Array> outputs,
                 const KnownShapes* known, bool steady) {
  if (!steady) {
    SL_RETURN_IF_ERROR(InOp(op, CopyPlaces(op, inputs, step.pool)));
  }
  AllocatesFor site(op.name, node.line);
  return InOp(
      op, Launch(op, attrs, node, step, inputs, out_dtypes, outputs, known));
}

Result<std::vector<Array>> RunOp(const OpRecord& op, const Attrs& attrs,
                                 std::span<const Array> inputs,
                                 const StepContext* step,
                                 const NodeInfo* node) {
  static const StepContext kNoStep;
  static const NodeInfo kNoNode;
  if (!step) step = &kNoStep;
  if (!node) node = &kNoNode;
  std::vector<DType> dtypes;
  for (const Array& in : inputs) dtypes.push_back(in.dtype());
  SL_ASSIGN_OR_RETURN(ResolvedCall call, ResolveCall(op, attrs, dtypes));
  std::vector<Array> outputs(call.out_dtypes.size());
  std::vector<Array> ins(inputs.begin(), inputs.end());
  if (op.async()) {
    for (Array& in : ins) {
      SL_ASSIGN_OR_RETURN(in, in.AsContiguous());
    }
    WaitingContext context(op, call.attrs, *node, *step, ins, outputs);
    AsyncLaunch launch;
    try {
      op.cpu().launch_async(context);
    } catch (...) {
      if (!launch.kept()) throw;
    }
    SL_RETURN_IF_ERROR(context.Wait());
    return outputs;
  }
  SL_RETURN_IF_ERROR(
      LaunchCpu(op, call.attrs, *node, *step, ins, call.out_dtypes, outputs));
  return outputs;
}

}  // namespace sluice
