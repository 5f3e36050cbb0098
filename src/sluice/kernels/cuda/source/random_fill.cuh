// Arrays of random numbers. T: their type; Maker: their distribution.
#pragma once

#include "sluice/cuda/random.cuh"

namespace sluice {

SL_GLOBAL(draw, RandomArgs, given) { Draw<Maker, T>(WithKey(given)); }

}  // namespace sluice
