#include "sluice/kernels/cpu/airy.h"

#include <cmath>

namespace sluice {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kNear = 0.5, kFar = -8;  // bound for the series around 0

struct Pair {
  double value, slope;
};

// Powers of x, in long double: near -8 terms are a million times the sum.
Pair BySeries(double x) {
  constexpr long double kValue = 0.355028053887817239260063186004183L,
                        kSlope = 0.258819403792806798405183560189204L;
  long double z = x, cube = z * z * z;
  long double f = 1, g = z;
  long double f_sum = f, g_sum = g, f_slopes = 0, g_slopes = 1;
  for (int k = 3; k < 200; k += 3) {
    // Updates the slopes from k - 1 to k, before f and g become the next terms.
    long double f_slope = f * z * z / (k - 1), g_slope = g * z * z / k;
    f *= cube / (static_cast<long double>(k - 1) * k);
    g *= cube / (static_cast<long double>(k) * (k + 1));
    f_sum += f, g_sum += g, f_slopes += f_slope, g_slopes += g_slope;
    if (std::fabs(f) + std::fabs(g) < 1e-25L && k > 6) break;
  }
  return {static_cast<double>(kValue * f_sum - kSlope * g_sum),
          static_cast<double>(kValue * f_slopes - kSlope * g_slopes)};
}

// On the right Ai is Bessel's K of order 1/3, which is an integral of
// exp(-z cosh t) cosh(t / 3): sums of such fall together with it at once.
Pair OnTheRight(double x) {
  double z = 2 * x * std::sqrt(x) / 3;
  const double step = std::fmin(0.1, 0.6 / std::sqrt(z));
  double third = 0.5, two_thirds = 0.5;
  for (int k = 1; k < 400; ++k) {
    double t = k * step, half = std::sinh(t / 2);
    double fade = std::exp(-2 * z * half * half);
    third += fade * std::cosh(t / 3);
    two_thirds += fade * std::cosh(2 * t / 3);
    if (fade * std::cosh(2 * t / 3) < 1e-18) break;
  }
  double scale = std::exp(-z) * step / kPi;
  return {scale * std::sqrt(x / 3) * third,
          -scale * x / std::sqrt(3.0) * two_thirds};
}

// Far on the left it is a wave; the series of its size and place ends where
// its terms stop falling.
Pair OnTheLeft(double x) {
  double z = -x, root = std::sqrt(z), phase = 2 * z * root / 3;
  double u = 1, power = 1, last = 2;
  double p = 0, q = 0, r = 0, s = 0;
  for (int k = 0; k < 40; ++k) {
    if (k > 0) {
      u *= (6.0 * k - 5) * (6.0 * k - 3) * (6.0 * k - 1) /
           (216.0 * k * (2.0 * k - 1));
      power /= phase;
    }
    double v = u * (6.0 * k + 1) / (1 - 6.0 * k);
    double term = u * power, sign = k % 4 < 2 ? 1 : -1;
    if (std::fabs(term) > last || std::fabs(term) < 1e-18) break;
    last = std::fabs(term);
    (k % 2 == 0 ? p : q) += sign * term;
    (k % 2 == 0 ? r : s) += sign * v * power;
  }
  double c = std::cos(phase - kPi / 4), d = std::sin(phase - kPi / 4);
  double fourth = std::sqrt(root), scale = 1 / std::sqrt(kPi);
  return {scale / fourth * (c * p + d * q), scale * fourth * (d * r - c * s)};
}

Pair Airy(double x) {
  if (x > kNear) return x > 200 ? Pair{0, 0} : OnTheRight(x);
  if (x >= kFar) return BySeries(x);
  if (x == -HUGE_VAL) return {0, NAN};
  return std::isnan(x) ? Pair{x, x} : OnTheLeft(x);
}

}  // namespace

double AiryAi(double x) { return Airy(x).value; }
double AiryAiSlope(double x) { return Airy(x).slope; }

}  // namespace sluice
