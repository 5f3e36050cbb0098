// Liveness: every register is taken by its last reader and emptied where it
// will not be read again, so that kernels find their dead inputs unshared and a
// long loop holds no more than it needs.
#pragma once

#include "sluice/vm/program.h"

namespace sluice {

// Sets the move flags of operands, adds kDrop where control goes on without a
// value, and leaves out what fills cells nobody reads.
void EmptyDeadRegisters(VmProcedure& procedure);

}  // namespace sluice
