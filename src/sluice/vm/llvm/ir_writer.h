// Translates an entry of a procedure to an LLVM function. Cells are variables
// of the function, which LLVM keeps in registers: they are loaded at the entry
// and stored where the machine continues. Arithmetic stays exact: no fast-math
// and no contraction, and constants are loaded like other cells, so nothing is
// folded.
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
