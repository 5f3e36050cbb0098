// Bools of memory that others write. Code of ours writes 0 and 1, and kernels
// take a bool to be one of them; elsewhere it may be any byte, and is true
// unless it is zero.
//
// Functions of arrays in the host's memory; any thread.
#pragma once

#include "sluice/tensor/array.h"

namespace sluice {

// `array`, or a copy of it with 0 and 1 where it has other bytes. Types other
// than bool are given back as they are. Error: ResourceExhausted.
Result<Array> WithPlainBools(const Array& array);

// Writes 1 over what is not 0. REQUIRES: bools, contiguous, held by nobody
// else.
void MakePlainBools(const Array& array);

}  // namespace sluice
