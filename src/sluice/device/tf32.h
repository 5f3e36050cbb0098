// Whether f32 products on a GPU may round their operands to TF32: a 10-bit
// mantissa, several times faster. Off unless SLUICE_TF32=1 or set.
//
// One setting per process; any thread.
#pragma once

namespace sluice {

bool Tf32Allowed();
void AllowTf32(bool allow);

}  // namespace sluice
