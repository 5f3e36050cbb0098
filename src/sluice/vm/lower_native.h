// Translates a program of the machine to the input of a native engine.
//
// A plain function, thread safe; borrows the graph of the program during the
// call.
#pragma once

#include "sluice/vm/native_source.h"
#include "sluice/vm/program.h"

namespace sluice {

// Empty if nothing in the program would gain: it has no loop entirely on cells
// and no sequence of at least `min_stretch` such instructions. Entering and
// leaving compiled code costs about as much as the machine needs for half of
// the default.
NativeSource MakeNativeSource(const VmProgram& program, int min_stretch = 8);

}  // namespace sluice
