#include "sluice/launch/launch_on.h"

#include "sluice/base/caught.h"
#include "sluice/base/small_vector.h"
#include "sluice/base/strings.h"
#include "sluice/device/devices.h"
#include "sluice/launch/call_sizes.h"
#include "sluice/launch/copy_between.h"
#include "sluice/launch/cuda_work.h"
#include "sluice/launch/device_work.h"
#include "sluice/op/host_inputs.h"
#include "sluice/op/run_op.h"
#include "sluice/op/runs_on.h"
#include "sluice/op/signature.h"
#include "sluice/tensor/list.h"
#include "sluice/tensor/live_blocks.h"

namespace sluice {

namespace {

// A call during its launch.
class Launch {
 public:
  Launch(Device& device, const LaunchCall& call, const StepContext& step,
         std::span<Array> inputs, std::span<Array> outputs,
         const LateError& late)
      : device_(device),
        call_(call),
        step_(step),
        inputs_(inputs),
        outputs_(outputs),
        late_(late) {}

  Status Run() {
    AllocatesFor site(call_.op.name, call_.node.line);
    SL_RETURN_IF_ERROR(CheckPlaces());
    if (MovesNothing()) return RunOnHost();
    if (device_.kind() == DeviceKind::kCuda) return RunOnGpu();
    if (!Plain()) return RunWaiting();
    KernelContext context(call_.op, call_.attrs, call_.node, step_, inputs_,
                          outputs_);
    if (call_.op.view && call_.op.view(context, &outputs_[0])) {
      return OkStatus();
    }
    return Issue();
  }

 private:
  Status RunOnGpu() {
    KernelContext context(call_.op, call_.attrs, call_.node, step_, inputs_,
                          outputs_);
    if (call_.op.view) {
      if (call_.op.view(context, &outputs_[0])) return OkStatus();
      // These strides allow no view; those of a row-major copy do.
      SL_RETURN_IF_ERROR(MakeContiguousInputs());
      if (call_.op.view(context, &outputs_[0])) return OkStatus();
    }
    Status launched =
        LaunchOnGpu(device_, call_, step_, inputs_, outputs_, late_);
    if (launched.code() != Code::kUnimplemented) return launched;
    return RunThroughHost();
  }

  // For ops without a kernel for the device: copied to the host, computed there
  // and copied back. `sluice info --ops --device gpu` lists these ops.
  Status RunThroughHost() {
    SL_RETURN_IF_ERROR(MakeContiguousInputs());
    for (Array& in : inputs_) {
      if (!in || (in.on_host() && in.dtype() != DType::kList)) continue;
      SL_ASSIGN_OR_RETURN(in, CopyTo(in, CpuDevice()));
    }
    StepContext step = step_;
    step.memory = nullptr;
    SL_RETURN_IF_ERROR(LaunchCpu(call_.op, call_.attrs, call_.node, step,
                                 inputs_, call_.out_dtypes, outputs_,
                                 call_.known, /*steady=*/true));
    for (Array& out : outputs_) SL_RETURN_IF_ERROR(BringHere(out));
    return OkStatus();
  }

  // Checks that every input is in memory that the kernel can read.
  Status CheckPlaces() const {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const Array& in = inputs_[i];
      if (!in || IsReference(in.dtype()) || call_.op.shape_only) continue;
      if (TakesNumber(call_.op, device_, in)) continue;
      bool by_host = HostReads(call_.op, device_.kind(), i, inputs_.size());
      if (by_host ? in.on_host() : in.memory() == device_.array_memory()) {
        continue;
      }
      return InvalidArgument(StrCat(
          "[", call_.op.name, "] ", call_.op.InputName(static_cast<int>(i)),
          " is ", in.TypeText(), " on ", DeviceNameOf(in.memory()),
          ", and the call runs on ", device_.name_text(), "; wanted it ",
          by_host ? "on the host, which reads its elements first"
                  : "on the same device"));
    }
    return OkStatus();
  }

  // Passes elements on, or reads only shapes: there is no work for the device.
  bool MovesNothing() const {
    return GivesSizes(call_.op) || call_.op.any_memory;
  }

  Status RunOnHost() {
    StepContext step = step_;
    if (GivesSizes(call_.op)) {
      step.memory = nullptr;
    } else {
      SL_RETURN_IF_ERROR(MakeContiguousInputs());
    }
    SL_RETURN_IF_ERROR(LaunchCpu(call_.op, call_.attrs, call_.node, step,
                                 inputs_, call_.out_dtypes, outputs_,
                                 call_.known, /*steady=*/true));
    // Zeros created for a missing element were created on the host; lists
    // contain the arrays they received.
    for (Array& out : outputs_) {
      if (GivesSizes(call_.op) || out.dtype() == DType::kList) continue;
      SL_RETURN_IF_ERROR(BringHere(out));
    }
    return OkStatus();
  }

  // A function of plain elements whose output sizes are known in advance.
  bool Plain() const {
    if (call_.op.effect != Effect::kNone) return false;
    SmallVector<DType, 8> dtypes;
    for (const Array& in : inputs_) dtypes.push_back(in.dtype());
    for (DType dtype : call_.out_dtypes) dtypes.push_back(dtype);
    return RunsOn(call_.op, device_.kind(), dtypes) && !call_.op.dynamic_output;
  }

  Status Issue() {
    SL_RETURN_IF_ERROR(MakeContiguousInputs());
    SL_RETURN_IF_ERROR(AllocateOutputs(call_.op, call_.attrs, inputs_,
                                       call_.out_dtypes, outputs_, step_.memory,
                                       /*over_input=*/true, call_.known));
    DeviceWork work;
    work.label = StrCat(call_.op.name, " ", call_.node.name);
    for (const Array& in : inputs_) {
      if (!call_.op.shape_only) work.Reads(in);
    }
    for (const Array& out : outputs_) work.Writes(out);
    work.flops = Flops();
    if (call_.op.role == Role::kGather || call_.op.role == Role::kSlice) {
      work.most_read = outputs_[0].bytes();
    }
    work.run = Deferred();
    return RunOnDevice(device_, std::move(work));
  }

  Status MakeContiguousInputs() {
    if (device_.kind() != DeviceKind::kCuda && call_.op.cpu().strided_inputs) {
      return OkStatus();
    }
    for (Array& in : inputs_) {
      if (call_.op.shape_only || IsReference(in.dtype())) continue;
      SL_ASSIGN_OR_RETURN(in, ContiguousOn(in));
    }
    return OkStatus();
  }

  double Flops() const {
    if (!call_.op.cost) return 0;
    CallSizes sizes(call_, inputs_, outputs_);
    return call_.op.cost(sizes.context());
  }

  // The kernel with everything it needs: the caller's arguments are gone by the
  // time it runs.
  std::function<void()> Deferred() const {
    struct Held {
      const OpRecord& op;
      Attrs attrs;
      std::string name;
      NodeInfo node;
      StepContext step;
      std::vector<Array> inputs, outputs;
      std::vector<DType> out_dtypes;
      LateError late;
    };
    auto held = std::make_shared<Held>(Held{call_.op,
                                            call_.attrs,
                                            std::string(call_.node.name),
                                            call_.node,
                                            step_,
                                            {},
                                            {},
                                            {},
                                            late_});
    held->node.name = held->name;
    held->step.pool = nullptr;
    // Internal memory of a kernel is the host's.
    held->step.memory = nullptr;
    // Stream order keeps the memory alive, as on any device.
    auto look = [](const Array& a) { return a.on_host() ? a : a.Borrowed(); };
    for (const Array& in : inputs_) held->inputs.push_back(look(in));
    for (const Array& out : outputs_) held->outputs.push_back(look(out));
    held->out_dtypes.assign(call_.out_dtypes.begin(), call_.out_dtypes.end());
    return [held] {
      Status status;
      try {
        KernelContext context(held->op, held->attrs, held->node, held->step,
                              held->inputs, held->outputs);
        status = InOp(held->op, RunCpuKernel(context, held->out_dtypes));
      } catch (...) {
        status = InOp(held->op, CaughtStatus());
      }
      if (!status.ok() && held->late) held->late(status);
    };
  }

  // Sizes that depend on elements, and state and lists that are changed in
  // place: the host waits for the device, then does the work.
  Status RunWaiting() {
    for (int use = 0; use < kNumStreamUses; ++use) {
      Stream& stream = device_.stream(static_cast<StreamUse>(use));
      SL_RETURN_IF_ERROR(stream.Synchronize());
    }
    for (const Array& in : inputs_) {
      if (in && !call_.op.shape_only) SL_RETURN_IF_ERROR(FailureOf(in));
    }
    {
      // Open for this thread only: no other may access elements on its behalf.
      OpenMemory open(device_.memory());
      StepContext alone = step_;
      alone.pool = nullptr;
      SL_RETURN_IF_ERROR(LaunchCpu(call_.op, call_.attrs, call_.node, alone,
                                   inputs_, call_.out_dtypes, outputs_,
                                   call_.known, /*steady=*/true));
    }
    for (Array& out : outputs_) SL_RETURN_IF_ERROR(BringHere(out));
    return OkStatus();
  }

  // Host kernels create their results in host memory.
  Status BringHere(Array& out) {
    if (!out || AllHere(out)) return OkStatus();
    SL_ASSIGN_OR_RETURN(StartedCopy copy, StartCopy(out, device_));
    out = std::move(copy.value);
    return OkStatus();
  }

  bool AllHere(const Array& out) const {
    if (out.dtype() != DType::kList) return out.memory() == step_.memory;
    const auto* list = static_cast<const ListValue*>(out.handle().get());
    if (list && list->holds_copies()) return !step_.memory;
    for (int64_t i = 0; list && i < list->size(); ++i) {
      if (list->there(i) && !AllHere(list->at(i))) return false;
    }
    return true;
  }

  Device& device_;
  const LaunchCall& call_;
  const StepContext& step_;
  std::span<Array> inputs_, outputs_;
  const LateError& late_;
};

}  // namespace

bool TakesNumber(const OpRecord& op, const Device& device, const Array& in) {
  return device.kind() == DeviceKind::kCuda && op.block && in.on_host() &&
         IsPlainData(in.dtype()) && in.num_elements() == 1 && in.contiguous();
}

Status LaunchOn(Device& device, const LaunchCall& call, const StepContext& step,
                std::span<Array> inputs, std::span<Array> outputs,
                const LateError& late) {
  return Launch(device, call, step, inputs, outputs, late).Run();
}

}  // namespace sluice
