// Functions related to the gamma function, from the CPU's source.
#pragma once

#include <cmath>
#include <limits>

inline double lgamma_r(double x, int*) { return ::lgamma(x); }

#include "sluice/kernels/cpu/gamma.cc"
