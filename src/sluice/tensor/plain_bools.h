// Bools in memory that other code writes. Our own code writes 0 and 1, and
// kernels rely on that; elsewhere a bool may be any byte, and is true unless it
// is zero.
//
// Functions of arrays in the host's memory; any thread.
#pragma once

#include "sluice/tensor/array.h"

namespace sluice {

// `array`, or a copy of it with 0 and 1 where it has other bytes. Types other
// than bool are given back as they are. Error: ResourceExhausted.
Result<Array> WithPlainBools(const Array& array);

// Writes 1 over everything but 0. REQUIRES: bools, contiguous, not held by
// anybody else.
void MakePlainBools(const Array& array);

}  // namespace sluice
