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

}  // namespace sluice
