// VmMachine: runs a program of the machine. Registers, cells and the call stack
// are all on the heap, so depth costs no C++ stack. It performs one run at a
// time and is kept for the next one; one thread at a time may use it.
#pragma once

#include <span>
#include <vector>

#include "sluice/op/step_context.h"
#include "sluice/vm/native.h"
#include "sluice/vm/program.h"

namespace sluice {

class VmMachine {
 public:
  // `native` may be null: then no further machine code is compiled.
  VmMachine(const VmProgram& program, VmNative* native);

  // `inputs` go to the first registers of the first procedure. They are moved
  // from unless `kept` says otherwise. The machine holds no values after
  // return.
  Status Run(const StepContext& step, std::span<Array> inputs,
             const std::vector<bool>& kept, std::span<Array> outputs);

 private:
  struct Frame {
    const VmProcedure* procedure;
    size_t registers, cells;  // where its own start
    const VmCall* call;       // null for the first
    const VmInstr* after;     // where the caller continues
    int32_t loop;             // the loop around the call in the caller
  };

  Status Loop(std::span<Array> outputs);
  void Push(const VmProcedure& procedure);
  // PushCall creates a frame with the operands of the call; on return the
  // caller receives the results and continues at `after`.
  void PushCall(const VmCall& call, const VmInstr* after, int32_t loop);
  const VmInstr* PopCall();
  Status TooDeep(const VmCall& call) const;
  // The error, extended by the lines of the enclosing loops and calls.
  Status Located(Status status, int32_t loop) const;

  const VmProgram& program_;
  VmNative* const native_;
  uint32_t trips_ = 0;  // iterations and runs
  StepContext step_;
  std::vector<Array> registers_;
  std::vector<VmCell> cells_;
  std::vector<Frame> frames_;
  std::vector<Array> room_;  // for the operands of the current launch
};

}  // namespace sluice
