// The logarithm of the gamma function and its derivatives, for one number.
// Thread safe (the C library's lgamma is not: it writes a global).
#pragma once

namespace sluice {

// log |Gamma(x)|.
double Lgamma(double x);
// d/dx log Gamma(x): infinite at 0 with the sign of -x, NaN at negative
// integers.
double Digamma(double x);
// Its n-th derivative: infinite at 0, -1, -2, ..., for even n with the sign of
// the right-hand limit.  REQUIRES: 1 <= n <= kMaxPolygamma.
inline constexpr int kMaxPolygamma = 100;
double Polygamma(int n, double x);

}  // namespace sluice
