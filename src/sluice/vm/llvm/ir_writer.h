// From an entry of a procedure to a function of LLVM's. Cells are variables of
// the function, kept in registers by LLVM: read from memory at the entry,
// written back where the machine goes on. No arithmetic is changed on the way:
// no fast-math, no contraction, and constants are loaded like everything else,
// so that nothing is folded.
//
// A plain function; the module belongs to one thread.
#pragma once

#include <llvm-c/Core.h>

#include <cstdint>
#include <string>

#include "sluice/vm/llvm/live_cells.h"
#include "sluice/vm/native_source.h"

namespace sluice {

// Adds the function `name`, a NativeFn.
void WriteFunction(LLVMModuleRef module, const std::string& name,
                   const NativeProcedure& procedure, const LiveCells& live,
                   const NativeEntry& entry);

}  // namespace sluice
