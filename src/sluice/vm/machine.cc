#include "sluice/vm/machine.h"

#include <utility>

#include "sluice/graph/flow_rules.h"
#include "sluice/graph/graph.h"
#include "sluice/launch/node_error.h"
#include "sluice/op/run_op.h"
#include "sluice/vm/cells.h"
#include "sluice/vm/launch.h"
#include "sluice/vm/values.h"

namespace sluice {

namespace {

// Iterations are reported in units of this many, so that the compile decision
// is rarely checked.
constexpr uint32_t kTrips = 256;

// The op's error for operands that its instruction does not accept.
Status OpError(const Node& node, const VmCell& a, const VmCell& b) {
  std::vector<Array> in(static_cast<size_t>(node.num_inputs()));
  const VmCell* cells[] = {&a, &b};
  for (size_t k = 0; k < in.size(); ++k) {
    DType dtype = node.input(static_cast<int>(k)).dtype();
    SL_RETURN_IF_ERROR(BoxCell(*cells[k], dtype, in[k]));
  }
  return AtNode(RunOp(node.op(), node.attrs(), in).status(), node, in);
}

bool Stopped(const void* cancellation) {
  return cancellation &&
         static_cast<const Cancellation*>(cancellation)->cancelled();
}

}  // namespace

VmMachine::VmMachine(const VmProgram& program, VmNative* native)
    : program_(program), native_(native), room_(program.max_operands) {}

void VmMachine::Push(const VmProcedure& procedure) {
  size_t r = registers_.size(), c = cells_.size();
  registers_.resize(r + procedure.num_registers());
  cells_.insert(cells_.end(), procedure.cells.begin(), procedure.cells.end());
  frames_.push_back({&procedure, r, c, nullptr, nullptr, -1});
}

Status VmMachine::Run(const StepContext& step, std::span<Array> inputs,
                      const std::vector<bool>& kept, std::span<Array> outputs) {
  step_ = step;
  Push(*program_.procedures[0]);
  cells_[kTagCell].set(step.tag);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (kept[i]) {
      registers_[i] = inputs[i];
    } else {
      registers_[i] = std::move(inputs[i]);
    }
  }
  Status status = Loop(outputs);
  frames_.clear();
  cells_.clear();
  registers_.clear();
  return status;
}

Status VmMachine::Located(Status status, int32_t loop) const {
  for (size_t f = frames_.size(); f-- > 0;) {
    const Frame& frame = frames_[f];
    while (loop >= 0) {
      const VmLoop& around = frame.procedure->loops[static_cast<size_t>(loop)];
      size_t counter = frame.cells + static_cast<size_t>(around.counter);
      status = InIteration(status, *around.node, cells_[counter].as<int64_t>());
      loop = around.around;
    }
    if (frame.call) status = InCall(status, *frame.call->node);
    loop = frame.loop;
  }
  return status;
}

void VmMachine::PushCall(const VmCall& call, const VmInstr* after,
                         int32_t loop) {
  const size_t registers = frames_.back().registers;
  const size_t cells = frames_.back().cells;
  Push(*program_.procedures[static_cast<size_t>(call.procedure)]);
  Frame& frame = frames_.back();
  frame.call = &call;
  frame.after = after;
  frame.loop = loop;
  VmRegisters ours{registers_.data() + registers, program_.constants.data()};
  const VmCell* our_cells = cells_.data() + cells;
  Array* theirs = registers_.data() + frame.registers;
  VmCell* their_cells = cells_.data() + frame.cells;
  for (const auto& c : call.cells) their_cells[c.to] = our_cells[c.from];
  for (const auto& r : call.registers) theirs[r.to] = ours.Take(r.from);
  their_cells[kTagCell].set(
      IterationTag(our_cells[call.tag].as<uint64_t>(), call.node->key(), 0));
}

const VmInstr* VmMachine::PopCall() {
  const Frame done = frames_.back();
  frames_.pop_back();
  VmRegisters theirs{registers_.data() + done.registers,
                     program_.constants.data()};
  const VmCell* their_cells = cells_.data() + done.cells;
  Array* ours = registers_.data() + frames_.back().registers;
  VmCell* our_cells = cells_.data() + frames_.back().cells;
  for (size_t k = 0; k < done.call->cell_results.size(); ++k) {
    our_cells[done.call->cell_results[k]] =
        their_cells[done.procedure->cell_results[k]];
  }
  for (size_t k = 0; k < done.call->register_results.size(); ++k) {
    ours[done.call->register_results[k]] =
        theirs.Take(done.procedure->register_results[k]);
  }
  registers_.resize(done.registers);
  cells_.resize(done.cells);
  return done.after;
}

Status VmMachine::Loop(std::span<Array> outputs) {
  const Cancellation* cancellation = step_.cancellation;
  const VmProcedure* procedure = frames_.back().procedure;
  Array* R = registers_.data();
  VmCell* C = cells_.data();
  const VmNative::Code* native = native_ ? native_->code() : nullptr;
  const NativeChecks checks{&Stopped, cancellation};
  auto table = [&] {
    return native ? native->Table(*procedure) : procedure->code.data();
  };
  const VmInstr* code = table();
  const VmInstr* pc = code;
  Status status;
  const Array* constants = program_.constants.data();
  auto at = [&] { return VmRegisters{R, constants}; };
  auto launch = [&](const VmLaunch& l) {
    step_.tag = C[l.tag].as<uint64_t>();
    return LaunchOnRegisters(l, step_, at(), room_.data());
  };
  auto tape = [&](const VmTape& t) {
    step_.tag = C[t.tag].as<uint64_t>();
    return RunTapeOnRegisters(t, step_, at(), room_.data());
  };
  auto stopped = [&] { return cancellation && cancellation->cancelled(); };
  // From here on compiled code is entered, even in the middle of a run: all its
  // inputs are in the cells.
  auto trip = [&] {
    if (++trips_ % kTrips != 0 || !native_ || native) [[likely]]
      return;
    native_->Note(kTrips);
    native = native_->code();
    code = table();
  };
  auto enter = [&] {
    const Frame& frame = frames_.back();
    procedure = frame.procedure;
    code = table();
    R = registers_.data() + frame.registers;
    C = cells_.data() + frame.cells;
  };
  trip();
  pc = code;
  for (;;) {
    const VmInstr& i = *pc++;
    switch (i.code) {
#include "sluice/vm/run_calls.inc"
#include "sluice/vm/run_flow.inc"
#include "sluice/vm/run_scalars.inc"
#include "sluice/vm/run_values.inc"
    }
  }
}

// The operands of the call, for the message.
Status VmMachine::TooDeep(const VmCall& call) const {
  const Frame& frame = frames_.back();
  const Region& body = *call.node->input(0).node->regions()[0];
  std::vector<Array> inputs = {Array::Handle({})};
  size_t cell = 0, reg = 0;
  for (int i = 0; i < body.num_args(); ++i) {
    Array value;
    if (IsCellType(body.arg(i))) {
      auto from = static_cast<size_t>(call.cells[cell++].from);
      Status boxed =
          BoxCell(cells_[frame.cells + from], body.arg(i).dtype(), value);
      if (!boxed.ok()) return boxed;
    } else {
      int32_t from = call.registers[reg++].from.index;
      value = from >= 0
                  ? registers_[frame.registers + static_cast<size_t>(from)]
                  : program_.constants[static_cast<size_t>(~from)];
    }
    inputs.push_back(std::move(value));
  }
  return AtNode(CallsTooDeep(*call.node), *call.node, inputs);
}

}  // namespace sluice
