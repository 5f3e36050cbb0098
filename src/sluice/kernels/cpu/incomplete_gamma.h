// The regularised incomplete gamma functions P and Q = 1 - P, and derivatives
// of P by its first argument, one pair of numbers at a time. Thread safe.
#pragma once

namespace sluice {

inline constexpr int kMaxGammaOrder = 8;

// P(a, x): the fraction of Gamma(a)'s integral below x. NaN for negative
// numbers; 0 at x = 0; Q is computed to full precision where it is small.
double LowerGamma(double a, double x);
double UpperGamma(double a, double x);
// The derivative of P by a of this order, from 1 on: to about 14 digits of the
// largest value it takes.  REQUIRES: 1 <= order <= kMaxGammaOrder.
double LowerGammaByA(int order, double a, double x);

}  // namespace sluice
