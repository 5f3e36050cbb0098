#include "sluice/gpu/gpu_piece.h"

#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/device/stream_order.h"
#include "sluice/gpu/code_builder.h"
#include "sluice/launch/op_cost.h"

namespace sluice {

Result<std::unique_ptr<GpuPiece>> GpuPiece::Build(
    Device& device, const std::vector<Node*>& nodes,
    const std::vector<Value>& outputs, bool fuse) {
  std::unique_ptr<GpuPiece> piece(new GpuPiece(device));
  piece->outputs_ = outputs;
  piece->num_nodes_ = static_cast<int>(nodes.size());
  int64_t numbers = 0;
  for (Node* node : nodes) {
    piece->cost_ns_ += NodeCostNanos(*node);
    numbers += node->op().role == Role::kIdentity || node->op().random;
  }
  GpuCodeBuilder builder(piece->program_, fuse);
  builder.ReserveNumbers(numbers);
  std::vector<GpuTarget> targets;
  for (size_t i = 0; i < outputs.size(); ++i) {
    targets.push_back(
        {outputs[i], builder.AddRegister(GpuRegister::Dense(
                         GpuPlace::kOutput, static_cast<int>(i), 0,
                         outputs[i].dtype(), outputs[i].shape().ToShape()))});
  }
  SL_ASSIGN_OR_RETURN(piece->code_, builder.Emit(nodes, targets));
  piece->over_input_ = builder.OverInputs(outputs.size());
  piece->program_.CompileAhead(piece->code_);
  return piece;
}

bool GpuPiece::OverwritesInput(size_t i) const {
  return std::find(over_input_.begin(), over_input_.end(),
                   static_cast<int>(i)) != over_input_.end();
}

// A piece that runs once does not need memory with a fixed address.
Result<Array> GpuPiece::NewOutput(size_t i) const {
  DType dtype = outputs_[i].dtype();
  Shape shape = outputs_[i].shape().ToShape();
  Allocator& allocator = program_.device->memory().allocator();
  if (!ran_before_ || !recordings_.why_not().empty()) {
    return Array::Make(dtype, shape, allocator);
  }
  return kept_.Take(i, dtype, shape, allocator);
}

Status GpuPiece::Run(const StepContext& step, std::span<Array> inputs,
                     std::span<Array> outputs) const {
  SL_RETURN_IF_ERROR(program_.CheckInputs(inputs));
  MutexLock lock(mu_);
  CudaDevice& device = *program_.device;
  CudaStream& stream = device.stream();
  GpuOperands operands;
  for (const Array& in : inputs) operands.Read(stream, in);
  for (size_t i = 0; i < outputs.size(); ++i) {
    int over = over_input_[i];
    if (over >= 0 && inputs[static_cast<size_t>(over)].unique()) {
      outputs[i] = inputs[static_cast<size_t>(over)];
    } else {
      SL_ASSIGN_OR_RETURN(outputs[i], NewOutput(i));
    }
    operands.Write(stream, outputs[i]);
  }
  auto upload = [&](void* arena) {
    return program_.Upload(step, inputs, arena);
  };
  auto issue = [&](Stream& where, const std::vector<void*>& at, void* arena) {
    GpuBases bases(at, inputs.size(), arena);
    return program_.Issue(code_, step, where, bases);
  };
  ran_before_ = true;
  SL_ASSIGN_OR_RETURN(
      bool launched,
      recordings_.Launch(device, operands.at, operands.bytes, inputs.size(),
                         program_.arena_bytes, upload, issue));
  if (!launched) {
    SL_ASSIGN_OR_RETURN(Array arena, program_.NewArena());
    void* begin = arena ? arena.address() : nullptr;
    SL_RETURN_IF_ERROR(program_.Upload(step, inputs, begin));
    SL_RETURN_IF_ERROR(issue(stream, operands.at, begin));
    if (arena) AfterWrite(stream, arena, /*mark=*/false);
  }
  for (const Array& in : inputs) AfterRead(stream, in);
  for (const Array& out : outputs) AfterWrite(stream, out, /*mark=*/false);
  return OkStatus();
}

std::string GpuPiece::Explain() const {
  std::string text;
  for (const GpuInstruction& instr : code_) {
    StrAppend(text, "    ", instr.label, "\n");
  }
  StrAppend(text, "    arena ", HumanBytes(program_.arena_bytes), "\n");
  MutexLock lock(mu_);
  if (!recordings_.why_not().empty()) {
    StrAppend(text, "    launched one by one: ", recordings_.why_not(), "\n");
  } else {
    StrAppend(text, "    ", recordings_.count(), " recordings, ",
              recordings_.num_copied(), " operands copied\n");
  }
  return text;
}

}  // namespace sluice
