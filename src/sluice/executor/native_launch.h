// Launching a kernel or a tape of a native program on registers: operands are
// taken or shared, results put in their places.
#pragma once

#include "sluice/executor/native_program.h"
#include "sluice/op/step_context.h"

namespace sluice {

// Where the operands of one procedure are.
struct NativeRegisters {
  Array* registers;
  const Array* constants;

  const Array& At(int32_t operand) const {
    return operand >= 0 ? registers[operand] : constants[~operand];
  }
  Array Take(const NativeOperand& operand) const {
    if (operand.move) return std::move(registers[operand.index]);
    return At(operand.index);
  }
};

// `room`: empty arrays, as many as the program's max_operands; empty again
// afterwards. Errors say the node.
Status LaunchNative(const NativeLaunch& launch, const StepContext& step,
                    const NativeRegisters& at, Array* room);
Status RunNativeTape(const NativeTape& part, const StepContext& step,
                     const NativeRegisters& at, Array* room);

}  // namespace sluice
