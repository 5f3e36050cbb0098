#include "sluice/kernels/cpu/incomplete_gamma.h"

#include <cmath>
#include <limits>

#include "sluice/kernels/cpu/gamma.h"

namespace sluice {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kTiny = 1e-17;  // terms this much smaller do not count
constexpr double kTwoPi = 6.28318530717958647692;
// From here on Temme's expansion is exact with three terms.
constexpr double kLarge = 1e5;

// m - log(1 + m), which is m^2 / 2 near 0.
double Excess(double m) {
  if (std::fabs(m) > 0.1) return m - std::log1p(m);
  double sum = 0, power = m * m;
  for (int k = 2; std::fabs(power) > kTiny * std::fabs(sum) && k < 40; ++k) {
    sum += (k % 2 == 0 ? power : -power) / k;
    power *= m;
  }
  return sum;
}

// x^a e^-x / Gamma(a), without the difference of large numbers that the
// logarithm of it would be.
double Bell(double a, double x) {
  if (a < 20) return std::exp(a * std::log(x) - x - Lgamma(a));
  double w = 1 / (a * a);  // Stirling's series
  double rest = (1.0 / 12 - w * (1.0 / 360 - w * (1.0 / 1260 - w / 1680))) / a;
  return std::sqrt(a / kTwoPi) * std::exp(-a * Excess((x - a) / a) - rest);
}

// P for x up to about a: sum of x^n / (a (a + 1) ... (a + n)).
double BySeries(double a, double x) {
  double term = 1 / a, sum = term;
  for (double n = 1; term > kTiny * sum && n < 1e6; ++n) {
    term *= x / (a + n);
    sum += term;
  }
  return sum * Bell(a, x);
}

// Q for x beyond: a continued fraction from its front, by Lentz.
double ByFraction(double a, double x) {
  constexpr double kLeast = 1e-300;
  double b = x + 1 - a, c = 1 / kLeast, d = 1 / b, made = d;
  for (double n = 1; n < 1e6; ++n) {
    double top = -n * (n - a);
    b += 2;
    d = top * d + b;
    c = b + top / c;
    if (std::fabs(d) < kLeast) d = kLeast;
    if (std::fabs(c) < kLeast) c = kLeast;
    d = 1 / d;
    made *= c * d;
    if (std::fabs(c * d - 1) < 1e-16) break;
  }
  return made * Bell(a, x);
}

// Q for large a: that of a normal number, corrected. upper = false: P.
double ByNormal(double a, double x, bool upper) {
  double m = (x - a) / a;
  double eta = std::copysign(std::sqrt(2 * Excess(m)), m);
  double c0 = 0, c1 = 0;
  if (std::fabs(eta) < 0.1) {
    constexpr double kFirst[] = {-1.0 / 3,   1.0 / 12,   -2.0 / 135,
                                 1.0 / 864,  1.0 / 2835, -139.0 / 777600,
                                 1.0 / 25515};
    constexpr double kSecond[] = {-1.0 / 540, -1.0 / 288, 1.0 / 378,
                                  -77.0 / 77760};
    for (int k = 6; k >= 0; --k) c0 = c0 * eta + kFirst[k];
    for (int k = 3; k >= 0; --k) c1 = c1 * eta + kSecond[k];
  } else {
    c0 = 1 / m - 1 / eta;
    c1 = 1 / (eta * eta * eta) - (1 + m + m * m / 12) / (m * m * m);
  }
  double bell = std::exp(-a * eta * eta / 2) / std::sqrt(kTwoPi * a);
  double rest = bell * (c0 + c1 / a);
  double side = eta * std::sqrt(a / 2);
  return upper ? std::erfc(side) / 2 + rest : std::erfc(-side) / 2 - rest;
}

// Results that need no computation, and NaN for invalid arguments.
double AtEdges(double a, double x, bool* known) {
  *known = true;
  if (!(a >= 0) || !(x >= 0)) return kNan;
  if (a == 0) return x > 0 ? 1 : kNan;
  if (x == 0) return 0;
  if (a == kInf) return x == kInf ? kNan : 0;
  if (x == kInf) return 1;
  *known = false;
  return kNan;
}

double Share(double a, double x, bool upper) {
  bool known = false;
  double edge = AtEdges(a, x, &known);
  if (known) return upper ? 1 - edge : edge;
  if (a > kLarge) return ByNormal(a, x, upper);
  if (x < a + 1) return upper ? 1 - BySeries(a, x) : BySeries(a, x);
  return upper ? ByFraction(a, x) : 1 - ByFraction(a, x);
}

}  // namespace

double LowerGamma(double a, double x) { return Share(a, x, false); }
double UpperGamma(double a, double x) {
  // Below 1 and near it 1 - P loses little, and less than the fraction needs.
  return Share(a, x, true);
}

double LowerGammaByA(int order, double a, double x) {
  if (!(a > 0) || !(x >= 0)) return kNan;
  if (x == 0 || x == kInf || a == kInf) return 0;
  // P is the sum of the terms x^(a+n) e^-x / Gamma(a + n + 1). The derivatives
  // of such a term are it times polynomials in those of its logarithm.
  double slopes[kMaxGammaOrder + 1] = {};
  slopes[1] = std::log(x) - Digamma(a + 1);
  for (int k = 2; k <= order; ++k) slopes[k] = -Polygamma(k - 1, a + 1);
  double term = Bell(a, x) / a, sum = 0, size = 0;
  for (double n = 0; n < 1e6; ++n) {
    double made[kMaxGammaOrder + 1] = {1};
    for (int k = 0; k < order; ++k) {
      double choose = 1;
      for (int j = 0; j <= k; ++j) {
        made[k + 1] += choose * made[k - j] * slopes[j + 1];
        choose = choose * (k - j) / (j + 1);
      }
    }
    double part = term * made[order];
    sum += part;
    size = std::fmax(size, std::fabs(part));
    if (a + n > x && std::fabs(part) < kTiny * size) break;
    // The next term's, by the recurrences of the gamma function.
    double z = a + n + 1, power = 1 / z;
    for (int k = 1; k <= order; ++k) {
      slopes[k] -= power;
      power *= -k / z;
    }
    term *= x / z;
  }
  return sum;
}

}  // namespace sluice
