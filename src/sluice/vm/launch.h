// Launches a kernel or a tape of a program on registers: moves or shares the
// operands and stores the results. Plain functions; the machine that calls them
// owns the registers.
#pragma once

#include "sluice/op/step_context.h"
#include "sluice/vm/program.h"

namespace sluice {

// The operand locations of one procedure.
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

// `room`: as many empty arrays as the program's max_operands; empty again on
// return. Errors name the node.
Status LaunchOnRegisters(const VmLaunch& launch, const StepContext& step,
                         const VmRegisters& at, Array* room);
Status RunTapeOnRegisters(const VmTape& part, const StepContext& step,
                          const VmRegisters& at, Array* room);

}  // namespace sluice
