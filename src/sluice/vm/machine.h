// VmMachine: runs a program of the machine: registers, cells and the stack of
// calls, all on the heap, so depth costs no C++ stack. One run at a time; kept
// for the next one.
#pragma once

#include <span>
#include <vector>

#include "sluice/op/step_context.h"
#include "sluice/vm/native.h"
#include "sluice/vm/program.h"

namespace sluice {

class VmMachine {
 public:
  // `native` may be null: nothing is compiled any further.
  VmMachine(const VmProgram& program, VmNative* native);

  // `inputs` are for the first registers of the first procedure, and are taken
  // unless `kept` says otherwise. Nothing is held when it returns.
  Status Run(const StepContext& step, std::span<Array> inputs,
             const std::vector<bool>& kept, std::span<Array> outputs);

 private:
  struct Frame {
    const VmProcedure* procedure;
    size_t registers, cells;  // where its own begin
    const VmCall* call;       // null for the first
    const VmInstr* after;     // where the caller goes on
    int32_t loop;             // the loop around the call in the caller
  };

  Status Loop(std::span<Array> outputs);
  void Push(const VmProcedure& procedure);
  // A frame for the call, with its operands; and back to the caller with its
  // results, which goes on where it says.
  void PushCall(const VmCall& call, const VmInstr* after, int32_t loop);
  const VmInstr* PopCall();
  Status TooDeep(const VmCall& call) const;
  // The error with the lines of the loops and calls around it.
  Status Located(Status status, int32_t loop) const;

  const VmProgram& program_;
  VmNative* const native_;
  uint32_t trips_ = 0;  // iterations, and runs
  StepContext step_;
  std::vector<Array> registers_;
  std::vector<VmCell> cells_;
  std::vector<Frame> frames_;
  std::vector<Array> room_;  // for the operands of the launch at hand
};

}  // namespace sluice
