// Arrays of random numbers. T: their type; Maker: which.
#pragma once

#include "sluice/cuda/random.cuh"

namespace sluice {

SL_GLOBAL(draw, RandomArgs, a) { Draw<Maker, T>(a); }

}  // namespace sluice
