// The gamma function's relatives, from the source the CPU has.
#pragma once

#include <cmath>
#include <limits>

inline double lgamma_r(double x, int*) { return ::lgamma(x); }

#include "sluice/kernels/cpu/gamma.cc"
