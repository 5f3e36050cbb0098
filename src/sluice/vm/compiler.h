// Compiles a conditional, a loop or a call, with everything inside, to a
// VmProgram. A plain function; borrows the graph during the call.
#pragma once

#include <memory>

#include "sluice/vm/program.h"
#include "sluice/vm/values.h"

namespace sluice {

// `fuse`: whether sequences of nodes with known shapes become tapes.
Result<std::unique_ptr<VmProgram>> CompileBytecode(const Node& node,
                                                   const VmValues& values,
                                                   bool fuse);

}  // namespace sluice
