#include "sluice/tape/tape.h"

#include <optional>

#include "sluice/base/strings.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node_sizes.h"
#include "sluice/launch/node_error.h"
#include "sluice/op/fused_loop.h"
#include "sluice/op/kernel_times.h"
#include "sluice/tensor/adopt.h"
#include "sluice/tensor/live_blocks.h"
#include "sluice/tensor/strided.h"

namespace sluice {

// The memory and operands of one run. Pointers into the arena and to constants
// are bound when it is created; those to inputs and outputs are patched in each
// run.
struct Tape::Activation {
  ~Activation() { HostAllocator().Free(arena); }
  Block arena;
  std::vector<void*> data;    // operands of fused loops, loop after loop
  std::vector<Array> arrays;  // operands of kernels, launch after launch
  std::vector<void*> input_base, output_base;  // currently bound
};

Tape::Tape() = default;
Tape::~Tape() = default;

std::unique_ptr<Tape::Activation> Tape::NewActivation() const {
  auto a = std::make_unique<Activation>();
  a->arena = HostAllocator().Allocate(arena_bytes_);
  if (!a->arena.data) return nullptr;
  a->data.resize(static_cast<size_t>(num_fused_operands_));
  a->arrays.resize(static_cast<size_t>(num_kernel_operands_));
  a->input_base.resize(inputs_.size());
  a->output_base.resize(outputs_.size());
  auto address = [&](const Location& at) -> void* {
    if (at.place == Place::kArena) {
      return static_cast<char*>(a->arena.data) + at.offset;
    }
    if (at.place == Place::kConst) {
      return static_cast<char*>(
                 constants_[static_cast<size_t>(at.index)].mutable_raw()) +
             at.offset;
    }
    return nullptr;
  };
  for (const Instruction& instr : code_) {
    auto at = static_cast<size_t>(instr.first);
    for (const auto* list : {&instr.in, &instr.out}) {
      for (int32_t r : *list) {
        const Register& reg = registers_[static_cast<size_t>(r)];
        a->arrays[at++] =
            Array::Borrow(address(reg.at), reg.dtype, reg.shape, reg.strides);
      }
    }
    for (const Loop* loop : {&instr.before, &instr.loop}) {
      at = static_cast<size_t>(loop->first);
      for (const auto* list : {&loop->in, &loop->out}) {
        for (int32_t r : *list) {
          a->data[at++] = address(registers_[static_cast<size_t>(r)].at);
        }
      }
    }
  }
  return a;
}

std::unique_ptr<Tape::Activation> Tape::Acquire() const {
  {
    MutexLock lock(mu_);
    if (!idle_.empty()) {
      auto a = std::move(idle_.back());
      idle_.pop_back();
      return a;
    }
  }
  return NewActivation();
}

void Tape::Release(std::unique_ptr<Activation> activation) const {
  MutexLock lock(mu_);
  idle_.push_back(std::move(activation));
}

void Tape::Rebind(Activation& a, const std::vector<Patch>& patches,
                  void* base) const {
  for (const Patch& p : patches) {
    void* address = static_cast<char*>(base) + p.offset;
    auto at = static_cast<size_t>(p.position);
    if (p.fused) {
      a.data[at] = address;
    } else {
      a.arrays[at].rep()->data = address;
    }
  }
}

Status Tape::CheckInputs(std::span<const Array> inputs) const {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] && inputs[i].dtype() == input_types_[i].dtype &&
        inputs[i].shape() == input_types_[i].shape) [[likely]] {
      continue;
    }
    const Value& v = inputs_[i];
    bool made = !v.node->is_args();
    Status status = InvalidArgument(
        StrCat(made ? StrCat("[", v.node->op().name, "] ") : std::string(),
               "\"", v.ToString(), "\" is ",
               inputs[i] ? inputs[i].TypeText() : std::string("nothing"),
               "; its type says ", v.type()));
    return made ? status.WithLine(NodeLine(*v.node)) : status;
  }
  return OkStatus();
}

Status Tape::Run(const StepContext& step, std::span<Array> inputs,
                 std::span<Array> outputs) const {
  SL_RETURN_IF_ERROR(CheckInputs(inputs));
  std::unique_ptr<Activation> a = Acquire();
  if (!a) {
    return ResourceExhausted(StrCat(
        "for an island: ", OutOfMemoryText(HostAllocator(), arena_bytes_)));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].contiguous()) {
      SL_ASSIGN_OR_RETURN(inputs[i], MakeContiguous(inputs[i], step.pool));
    }
    void* base = inputs[i].mutable_raw();
    if (base != a->input_base[i]) {
      Rebind(*a, input_patches_[i], base);
      a->input_base[i] = base;
    }
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const ValueType& type = outputs_[i].type();
    int32_t over = over_input_[i];
    if (over >= 0 && inputs[static_cast<size_t>(over)].unique() &&
        Adopt(inputs[static_cast<size_t>(over)], step.memory)) {
      outputs[i] = inputs[static_cast<size_t>(over)];
    } else {
      SL_ASSIGN_OR_RETURN(outputs[i],
                          Array::Make(type.dtype, type.shape.ToShape(),
                                      AllocatorOf(step.memory)));
    }
    void* base = outputs[i].mutable_raw();
    if (base != a->output_base[i]) {
      Rebind(*a, output_patches_[i], base);
      a->output_base[i] = base;
    }
  }
  Status status = Execute(*a, step);
  Release(std::move(a));
  return status;
}

void Tape::Told(size_t at, TimedKernel& timed) const {
  if (!KernelTimes::active()) [[likely]]
    return;
  const Instruction& instr = code_[at];
  int64_t bytes = 0;
  double flops = 0;
  auto touched = [&](const std::vector<int32_t>& registers) {
    for (int32_t r : registers) {
      const Register& reg = registers_[static_cast<size_t>(r)];
      if (reg.at.place == Place::kNowhere) continue;
      bytes += reg.shape.num_elements() * DTypeSize(reg.dtype);
    }
  };
  for (const auto* list : {&instr.in, &instr.out}) touched(*list);
  for (const Loop* loop : {&instr.before, &instr.loop}) {
    if (loop->program < 0) continue;
    const BlockProgram& p = programs_[static_cast<size_t>(loop->program)];
    for (const auto* list : {&loop->in, &loop->out}) touched(*list);
    flops += static_cast<double>(p.num_ops()) *
             static_cast<double>(p.space().num_elements());
  }
  if (instr.code == Code::kKernel) {
    const OpRecord& op = instr.node->op();
    NodeSizes sizes(*instr.node);
    CostFn count = op.flops ? op.flops : op.cost;
    if (count) flops += count(sizes.context());
  }
  timed.Did(flops, bytes);
}

Status Tape::Execute(Activation& a, const StepContext& step) const {
  static const SourceLine kNoLine;
  for (size_t at = 0; at < code_.size(); ++at) {
    const Instruction& instr = code_[at];
    if (step.cancellation && step.cancellation->cancelled()) {
      return step.cancellation->status();
    }
    auto first = static_cast<size_t>(instr.first);
    size_t n = instr.in.size(), m = instr.out.size();
    auto operands = [&](const Loop& loop) -> std::span<void* const> {
      return {a.data.data() + loop.first, loop.size()};
    };
    auto program = [&](const Loop& loop) -> const BlockProgram& {
      return programs_[static_cast<size_t>(loop.program)];
    };
    TimedKernel timed(
        instr.code == Code::kKernel ? instr.node->op().name : labels_[at],
        instr.node ? instr.node->line() : kNoLine);
    switch (instr.code) {
      case Code::kFused:
        program(instr.loop).Run(operands(instr.loop), step.pool);
        break;
      case Code::kCopy:
        CopyStrided(a.arrays[first], a.arrays[first + 1], step.pool);
        break;
      case Code::kKernel: {
        const Node& node = *instr.node;
        NodeInfo info{node.name(), node.line(), node.key()};
        KernelContext context(node.op(), node.attrs(), info, step,
                              {a.arrays.data() + first, n},
                              {a.arrays.data() + first + n, m});
        if (instr.workspace >= 0) {
          context.set_workspace(static_cast<char*>(a.arena.data) +
                                instr.workspace);
        }
        std::optional<FusedLoop> before, behind;
        if (instr.before.program >= 0) {
          before.emplace(program(instr.before), operands(instr.before));
        }
        if (instr.loop.program >= 0) {
          behind.emplace(program(instr.loop), operands(instr.loop));
        }
        context.set_fused(before ? &*before : nullptr,
                          behind ? &*behind : nullptr);
        Status status = node.op().cpu().launch(context);
        if (!status.ok()) [[unlikely]] {
          return AtNode(status, node, {a.arrays.data() + first, n});
        }
        break;
      }
    }
    Told(at, timed);
  }
  return OkStatus();
}

std::string Tape::Explain() const {
  std::string out;
  for (size_t i = 0; i < code_.size(); ++i) {
    StrAppend(out, "    ", labels_[i], "\n");
  }
  StrAppend(out, "    planned memory: ", HumanBytes(arena_bytes_), " for ",
            num_nodes_, " nodes\n");
  for (const std::string& note : notes_) {
    StrAppend(out, "    not fused: ", note, "\n");
  }
  return out;
}

}  // namespace sluice
