#include "sluice/vm/compiler.h"

#include <algorithm>

#include "sluice/vm/liveness.h"
#include "sluice/vm/procedure.h"

namespace sluice {

Result<std::unique_ptr<VmProgram>> CompileBytecode(const Node& node,
                                                   const VmValues& values,
                                                   bool fuse) {
  auto program = std::make_unique<VmProgram>();
  BytecodeFunctions functions;
  auto compile = [&](auto&& write) {
    program->procedures.push_back(std::make_unique<VmProcedure>());
    VmProcedure& procedure = *program->procedures.back();
    procedure.number = static_cast<int32_t>(program->procedures.size()) - 1;
    VmProcedureCompiler compiler(*program, procedure, values, functions, fuse);
    Status status = write(compiler);
    if (status.ok()) EmptyDeadRegisters(procedure);
    return status;
  };
  SL_RETURN_IF_ERROR(
      compile([&](VmProcedureCompiler& c) { return c.CompileNode(node); }));
  for (size_t f = 0; f < functions.list().size(); ++f) {
    const Node& function = *functions.list()[f];
    SL_RETURN_IF_ERROR(compile(
        [&](VmProcedureCompiler& c) { return c.CompileFunction(function); }));
  }
  for (const auto& procedure : program->procedures) {
    for (const VmLaunch& l : procedure->launches) {
      program->max_operands =
          std::max(program->max_operands, l.in.size() + l.out.size());
    }
    for (const VmTape& t : procedure->tapes) {
      program->max_operands =
          std::max(program->max_operands, t.in.size() + t.out.size());
    }
  }
  return program;
}

}  // namespace sluice
