// The gamma function's logarithm and its derivatives, one number at a time.
// Thread safe (the C library's lgamma is not: it writes a global).
#pragma once

namespace sluice {

// log |Gamma(x)|.
double Lgamma(double x);
// d/dx log Gamma(x): infinite at 0 with the sign of -x, NaN at the negative
// integers.
double Digamma(double x);
// Its n-th derivative: infinite at 0, -1, -2, ..., for even n with the sign of
// what is on the right.  REQUIRES: 1 <= n <= kMaxPolygamma.
inline constexpr int kMaxPolygamma = 100;
double Polygamma(int n, double x);

}  // namespace sluice
