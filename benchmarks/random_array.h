// Arrays of numbers for benchmarks: the same on every machine and every run.
#pragma once

#include "sluice/tensor/array.h"

namespace sluice::bench {

// Floats of [-scale, scale); another stream, other numbers.
Array RandomFloats(const Shape& shape, float scale, uint64_t stream);

}  // namespace sluice::bench
