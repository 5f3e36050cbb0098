// Liveness: the last reader of a register moves its value out, and a register
// that is not read again is emptied. Kernels then find their dead inputs
// unshared, and a long loop holds no more memory than it needs. A plain
// function, called by the thread that compiles.
#pragma once

#include "sluice/vm/program.h"

namespace sluice {

// Sets the move flags of operands, adds kDrop where control continues without a
// value, and removes instructions that fill unread cells.
void EmptyDeadRegisters(VmProcedure& procedure);

}  // namespace sluice
