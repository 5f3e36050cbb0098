// Launching a kernel or a tape of a program of the machine on registers:
// operands are taken or shared, results put in their places.
#pragma once

#include "sluice/op/step_context.h"
#include "sluice/vm/program.h"

namespace sluice {

// Where the operands of one procedure are.
struct VmRegisters {
  Array* registers;
  const Array* constants;

  const Array& At(int32_t operand) const {
    return operand >= 0 ? registers[operand] : constants[~operand];
  }
  Array Take(const VmOperand& operand) const {
    if (operand.move) return std::move(registers[operand.index]);
    return At(operand.index);
  }
};

// `room`: empty arrays, as many as the program's max_operands; empty again
// afterwards. Errors say the node.
Status LaunchOnRegisters(const VmLaunch& launch, const StepContext& step,
                         const VmRegisters& at, Array* room);
Status RunTapeOnRegisters(const VmTape& part, const StepContext& step,
                          const VmRegisters& at, Array* room);

}  // namespace sluice
