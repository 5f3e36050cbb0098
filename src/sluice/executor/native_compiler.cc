#include "sluice/executor/native_compiler.h"

#include <algorithm>

#include "sluice/executor/native_liveness.h"
#include "sluice/executor/native_procedure.h"

namespace sluice {

Result<std::unique_ptr<NativeProgram>> CompileNative(const Node& node,
                                                     const NativeValues& values,
                                                     bool fuse) {
  auto program = std::make_unique<NativeProgram>();
  NativeFunctions functions;
  auto compile = [&](auto&& write) {
    program->procedures.push_back(std::make_unique<NativeProcedure>());
    NativeProcedure& procedure = *program->procedures.back();
    NativeProcedureCompiler compiler(*program, procedure, values, functions,
                                     fuse);
    Status status = write(compiler);
    if (status.ok()) EmptyDeadRegisters(procedure);
    return status;
  };
  SL_RETURN_IF_ERROR(
      compile([&](NativeProcedureCompiler& c) { return c.CompileNode(node); }));
  for (size_t f = 0; f < functions.list().size(); ++f) {
    const Node& function = *functions.list()[f];
    SL_RETURN_IF_ERROR(compile([&](NativeProcedureCompiler& c) {
      return c.CompileFunction(function);
    }));
  }
  for (const auto& procedure : program->procedures) {
    for (const NativeLaunch& l : procedure->launches) {
      program->max_operands =
          std::max(program->max_operands, l.in.size() + l.out.size());
    }
    for (const NativeTape& t : procedure->tapes) {
      program->max_operands =
          std::max(program->max_operands, t.in.size() + t.out.size());
    }
  }
  return program;
}

}  // namespace sluice
