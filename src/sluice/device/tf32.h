// Whether products of f32 on a GPU may be computed from operands rounded to
// TF32: ten bits of mantissa, several times faster. Off unless SLUICE_TF32=1
// or set.
//
// One setting of the process; any thread.
#pragma once

namespace sluice {

bool Tf32Allowed();
void AllowTf32(bool allow);

}  // namespace sluice
