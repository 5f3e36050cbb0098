// The gamma function's logarithm and its derivative, one number at a time.
// Thread safe (the C library's lgamma is not: it writes a global).
#pragma once

namespace sluice {

// log |Gamma(x)|.
double Lgamma(double x);
// d/dx log Gamma(x): infinite at 0 with the sign of -x, NaN at the negative
// integers.
double Digamma(double x);

}  // namespace sluice
