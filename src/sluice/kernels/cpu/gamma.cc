#include "sluice/kernels/cpu/gamma.h"

#include <cmath>
#include <limits>

namespace sluice {

double Lgamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

double Digamma(double x) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr double kPi = 3.14159265358979323846;
  if (x == 0) return std::copysign(kInf, -x);
  double reflected = 0;
  if (x < 0) {
    double fraction = x - std::floor(x);
    if (!(fraction > 0)) return std::numeric_limits<double>::quiet_NaN();
    // psi(x) = psi(1 - x) - pi / tan(pi x), which has period 1.
    reflected = kPi / std::tan(kPi * fraction);
    x = 1 - x;
  }
  double y = 0;
  for (; x < 10; x += 1) y -= 1 / x;
  // Bernoulli numbers over 2k, from the highest.
  double w = 1 / (x * x);
  double tail = 1.0 / 12;
  tail = tail * w - 691.0 / 32760;
  tail = tail * w + 1.0 / 132;
  tail = tail * w - 1.0 / 240;
  tail = tail * w + 1.0 / 252;
  tail = tail * w - 1.0 / 120;
  tail = tail * w + 1.0 / 12;
  y += std::log(x) - 0.5 / x - w * tail;
  return y - reflected;
}

namespace {

// The sum of (q + k)^-s over k = 0, 1, ..., by Euler and Maclaurin.
// REQUIRES: q > 0, s >= 2 a whole number.
double Zeta(double s, double q) {
  double sum = 0;
  for (; q < 10 + s; q += 1) sum += std::pow(q, -s);
  // Bernoulli numbers over factorials of 2k.
  constexpr double kTerms[] = {1.0 / 12,         -1.0 / 720,
                               1.0 / 30240,      -1.0 / 1209600,
                               1.0 / 47900160,   -691.0 / 1307674368000,
                               1.0 / 74724249600};
  double term = std::pow(q, -s);
  sum += term * (q / (s - 1) + 0.5);
  term *= s / q;
  for (int k = 0; k < 7; ++k) {
    sum += kTerms[k] * term;
    term *= (s + 2 * k + 1) * (s + 2 * k + 2) / (q * q);
  }
  return sum;
}

}  // namespace

double Polygamma(int n, double x) {
  const double s = n + 1, sign = n % 2 == 0 ? -1 : 1;
  if (std::isnan(x)) return x;
  double zeta = 0;
  if (x > 0) {
    if (std::isinf(x)) return 0;
    zeta = Zeta(s, x);
  } else {
    double fraction = x - std::floor(x);
    if (std::isinf(x)) return std::numeric_limits<double>::quiet_NaN();
    if (fraction == 0) return sign * std::numeric_limits<double>::infinity();
    // The sum over all integers has period 1; the part left of x is a sum from
    // 1 - x on, with the sign of (-1)^s.
    zeta = Zeta(s, fraction) + sign * (Zeta(s, 1 - fraction) - Zeta(s, 1 - x));
  }
  return sign * std::tgamma(s) * zeta;
}

}  // namespace sluice
