// From a program of the machine to what a native engine reads.
//
// A plain function, thread safe; borrows the program's graph while it runs.
#pragma once

#include "sluice/vm/native_source.h"
#include "sluice/vm/program.h"

namespace sluice {

// Empty when nothing in the program would gain: no loop that is all on cells,
// no stretch of at least `min_stretch` such instructions. Entering compiled
// code and leaving it cost about as much as the machine needs for half of the
// default.
NativeSource MakeNativeSource(const VmProgram& program, int min_stretch = 8);

}  // namespace sluice
