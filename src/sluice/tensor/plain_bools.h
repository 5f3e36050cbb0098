// Bools in memory that other code writes. Sluice writes 0 and 1, and kernels
// rely on that; elsewhere any nonzero byte may represent true.
//
// Functions on arrays in host memory; any thread.
#pragma once

#include "sluice/tensor/array.h"

namespace sluice {

// `array`, or a copy with 0 and 1 if it contains other bytes. Types other than
// bool are returned unchanged. Error: ResourceExhausted.
Result<Array> WithPlainBools(const Array& array);

// Writes 1 over everything but 0. REQUIRES: bools, contiguous, a sole holder.
void MakePlainBools(const Array& array);

}  // namespace sluice
