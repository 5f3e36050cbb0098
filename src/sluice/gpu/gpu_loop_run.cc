// Running a GpuWhile.
#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/device/cuda/launch_scope.h"
#include "sluice/device/stream_order.h"
#include "sluice/gpu/gpu_loop.h"
#include "sluice/graph/role_of.h"
#include "sluice/launch/node_error.h"
#include "sluice/op/signature.h"
#include "sluice/tensor/list.h"

namespace sluice {

// Zeroed at the start: the error word, the iterations begun, and the control
// block of lists with the marks after it.
Status GpuWhile::Begin(Stream& stream, const GpuBases& bases) const {
  auto clear = [&](int reg, int64_t bytes) -> Status {
    void* at = program_.Bind(reg, bases).address();
    SL_CUDA(cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(at), 0,
                            static_cast<size_t>(bytes),
                            static_cast<CudaStream&>(stream).handle()),
            "beginning a loop");
    return OkStatus();
  };
  SL_RETURN_IF_ERROR(clear(found_, CudaMaskedChecks::kBytes));
  if (begun_ >= 0) SL_RETURN_IF_ERROR(clear(begun_, sizeof(int64_t)));
  if (lists_.empty()) return OkStatus();
  auto first = static_cast<size_t>(loop_->num_outputs());
  for (size_t i = first; i < bases.outputs.size(); ++i) {
    SL_CUDA(cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(bases.outputs[i]), 0,
                            i == first ? sizeof(LoopControl)
                                       : static_cast<size_t>(bases.capacity),
                            static_cast<CudaStream&>(stream).handle()),
            "beginning a loop");
  }
  return OkStatus();
}

Status GpuWhile::ReadNumber(int reg, const GpuBases& bases, void* number,
                            size_t bytes) const {
  CUstream stream = program_.device->stream().handle();
  auto there =
      reinterpret_cast<CUdeviceptr>(program_.Bind(reg, bases).address());
  SL_CUDA(cuMemcpyDtoHAsync(number, there, bytes, stream),
          "reading a loop's condition");
  SL_CUDA(cuStreamSynchronize(stream), "reading a loop's condition");
  ++waits_;
  return OkStatus();
}

Status GpuWhile::DriveCounted(const StepContext& step, Stream& stream,
                              GpuBases& bases) const {
  int64_t trips = 0;
  SL_RETURN_IF_ERROR(ReadNumber(trips_, bases, &trips, sizeof trips));
  for (int64_t done = 0; done < trips; ++done) {
    if (step.cancellation && step.cancellation->cancelled()) {
      return Cancelled("the step was cancelled");
    }
    bases.round = done % rounds_;
    if (bases.round == 0) {
      SL_RETURN_IF_ERROR(SetCondition(step, stream, bases, 0));
    }
    if (done == 0) {
      SL_RETURN_IF_ERROR(program_.Issue(once_, step, stream, bases));
    }
    SL_RETURN_IF_ERROR(IssueBody(step, stream, bases));
  }
  warm_ = warm_ || trips > 0;
  if (!warm_) recordings_.Forget();
  return program_.Issue(last_, step, stream, bases);
}

Status GpuWhile::DriveByHost(const StepContext& step, Stream& stream,
                             GpuBases& bases, LoopListRun& lists) const {
  if (!whole_.empty()) return program_.Issue(whole_, step, stream, bases);
  SL_RETURN_IF_ERROR(Begin(stream, bases));
  SL_RETURN_IF_ERROR(program_.Issue(first_, step, stream, bases));
  if (trips_ >= 0) return DriveCounted(step, stream, bases);
  int64_t done = 0;
  for (;; ++done) {
    if (step.cancellation && step.cancellation->cancelled()) {
      return Cancelled("the step was cancelled");
    }
    if (lists_.append() && done >= bases.capacity) {
      SL_RETURN_IF_ERROR(lists.Grow(bases));
    }
    SL_RETURN_IF_ERROR(program_.Issue(cond_, step, stream, bases));
    bool go_on = false;
    SL_RETURN_IF_ERROR(ReadNumber(predicate_, bases, &go_on, sizeof go_on));
    if (!go_on) break;
    if (done == 0) {
      SL_RETURN_IF_ERROR(program_.Issue(once_, step, stream, bases));
    }
    SL_RETURN_IF_ERROR(IssueBody(step, stream, bases));
  }
  // The body's kernels must have been launched before they are recorded.
  warm_ = warm_ || done > 0;
  if (!warm_) recordings_.Forget();
  return program_.Issue(last_, step, stream, bases);
}

int64_t GpuWhile::FirstCapacity() const {
  constexpr int64_t kMostBytes = int64_t{256} << 20, kMost = 32;
  return std::clamp<int64_t>(
      kMostBytes / std::max<int64_t>(1, lists_.StepBytes()), 1, kMost);
}

// Recordings contain the capacity. REQUIRES: none is running.
void GpuWhile::SetCapacity(int64_t capacity) const {
  if (capacity == capacity_) return;
  capacity_ = capacity;
  recordings_.Clear();
}

Status GpuWhile::WrongIndex(const LoopControl& control,
                            std::span<const Array> inputs) const {
  const Node& node =
      *program_.list_nodes[static_cast<size_t>(control.wrong - 1)];
  int64_t size = 0;
  for (const LoopLists::Read& read : lists_.read) {
    if (read.node->input(0) == node.input(0)) {
      size = ListOf(inputs[read.input])->size();
    }
  }
  std::string wanted =
      RoleOf(node) == Role::kListGet
          ? StrCat("0 <= index < ", size, ", the size of the list")
          : "0 or more";
  return AtNode(
      InOp(node.op(), InvalidArgument(StrCat("index is ", control.index,
                                             "; wanted ", wanted))),
      node, {});
}

// Reads the outputs wanted on the host and, if the loop has lists, the number
// of iterations: the host waits once for all of them, or not at all.
Status GpuWhile::ReadOutputs(std::span<const Array> outputs,
                             std::vector<Array>& here) const {
  CudaStream& stream = program_.device->stream();
  bool wait = !lists_.empty();
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!host_outputs_[i] || outputs[i].dtype() == DType::kList) continue;
    wait = true;
    SL_ASSIGN_OR_RETURN(here[i],
                        Array::Make(outputs[i].dtype(), outputs[i].shape()));
    if (here[i].bytes() == 0) continue;
    program_.device->Enter();
    SL_CUDA(cuMemcpyDtoHAsync(
                here[i].mutable_raw(),
                reinterpret_cast<CUdeviceptr>(outputs[i].address()),
                static_cast<size_t>(here[i].bytes()), stream.handle()),
            "reading a loop's results");
  }
  if (!wait) return OkStatus();
  ++waits_;
  return stream.Synchronize();
}

// Allocates the outputs, as operands of the loop.
Status GpuWhile::MakeOutputs(std::span<Array> outputs, LoopListRun& lists,
                             GpuOperands& operands) const {
  CudaDevice& device = *program_.device;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const ValueType& type = loop_->output_type(static_cast<int>(i));
    if (type.dtype == DType::kList) {
      lists.AddOutput(static_cast<int>(i), operands);
      continue;
    }
    SL_ASSIGN_OR_RETURN(outputs[i],
                        Array::Make(type.dtype, type.shape.ToShape(),
                                    device.memory().allocator()));
    operands.Write(device.stream(), outputs[i]);
  }
  return OkStatus();
}

// Whether the lists had too little capacity. Sets the capacity of the next run.
bool GpuWhile::Outgrown(const LoopControl& control, const LoopListRun& lists,
                        bool launched) const {
  // Some spare capacity for the next run.
  int64_t most = std::max(control.count, control.needed);
  int64_t wanted = (most + most / 4 + 15) / 16 * 16;
  bool full = control.needed > lists.capacity() ||
              (lists_.append() && control.wanted && !control.live);
  if (full) wanted = std::max(wanted, capacity_ * 2);
  if (full || !launched) SetCapacity(std::max(capacity_, wanted));
  return full;
}

Status GpuWhile::Run(const StepContext& step, std::span<Array> inputs,
                     std::span<Array> outputs) const {
  SL_RETURN_IF_ERROR(program_.CheckInputs(inputs));
  CudaDevice& device = *program_.device;
  CudaStream& stream = device.stream();
  MutexLock lock(mu_);
  ++runs_;
  LoopListRun lists(lists_, device);
  bool moved = false;
  SL_RETURN_IF_ERROR(lists.WriteTables(inputs, tables_, &moved));
  if (moved) {
    SL_RETURN_IF_ERROR(stream.Synchronize());
    recordings_.Clear();
  }
  if (capacity_ == 0) capacity_ = FirstCapacity();
  size_t num_inputs = inputs.size() + tables_.size();
  LoopControl control = {};
  std::vector<Array> here(outputs.size());
  auto upload = [&](void* arena) {
    return program_.Upload(step, inputs, arena);
  };
  for (bool again = false;;) {
    GpuOperands operands;
    for (const Array& in : inputs) operands.Read(stream, in);
    lists.AddTables(tables_, operands);
    if (!lists_.empty()) SL_RETURN_IF_ERROR(lists.MakeRoom(capacity_));
    SL_RETURN_IF_ERROR(MakeOutputs(outputs, lists, operands));
    if (!lists_.empty()) lists.AddRest(operands);
    auto issue = [&](Stream& where, const std::vector<void*>& at, void* arena)
                     SL_REQUIRES(mu_) {
                       GpuBases bases(at, num_inputs, arena);
                       bases.capacity = capacity_;
                       return IssueRecorded(step, where, bases);
                     };
    bool launched = false;
    if (!again) {
      SL_ASSIGN_OR_RETURN(
          launched,
          recordings_.Launch(device, operands.at, operands.bytes, num_inputs,
                             program_.arena_bytes, upload, issue, warm_));
    }
    if (!launched) {
      SL_ASSIGN_OR_RETURN(Array arena, program_.NewArena());
      void* begin = arena ? arena.address() : nullptr;
      SL_RETURN_IF_ERROR(program_.Upload(step, inputs, begin));
      GpuBases bases(operands.at, num_inputs, begin);
      bases.capacity = capacity_;
      SL_RETURN_IF_ERROR(DriveByHost(step, stream, bases, lists));
      if (arena) AfterWrite(stream, arena, /*mark=*/false);
    }
    if (!lists_.empty()) SL_RETURN_IF_ERROR(lists.StartReading(&control));
    SL_RETURN_IF_ERROR(ReadOutputs(outputs, here));
    if (lists_.empty()) break;
    if (control.wrong != 0) return WrongIndex(control, inputs);
    if (!Outgrown(control, lists, launched)) break;
    // Starts over, driven by the host, which grows the lists as needed.
    again = true;
  }
  SL_RETURN_IF_ERROR(lists.TakeOutputs(control, inputs, outputs));
  for (const Array& in : inputs) AfterRead(stream, in);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].dtype() == DType::kList) continue;
    AfterWrite(stream, outputs[i], /*mark=*/false);
    if (host_outputs_[i]) outputs[i] = std::move(here[i]);
  }
  return OkStatus();
}

}  // namespace sluice
