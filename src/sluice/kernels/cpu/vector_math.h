// Elementary functions of float as straight-line arithmetic: no branches,
// tables or library calls, so that loops over them vectorize on any machine and
// yield the same bits on every machine. double uses the C library. Plain
// functions.
//
// Maximum errors in units of the last place (ulp) over ALL floats (measured by
// SLUICE_FULL=1 kernels_test --gtest_filter=VectorMath.*; pow and atan2 over
// many pairs); vector_math_test.cc states a bound for each. NaN yields NaN;
// zeros keep their sign; subnormal results are as accurate as others.
//
//   Exp ........ 0.927
//   Log ........ 0.993
#pragma once

#include "sluice/kernels/cpu/vector_erf.h"
#include "sluice/kernels/cpu/vector_exp.h"
#include "sluice/kernels/cpu/vector_log.h"
#include "sluice/kernels/cpu/vector_pow.h"
#include "sluice/kernels/cpu/vector_trig.h"

namespace sluice::vmath {

inline double Exp(double x) { return std::exp(x); }
inline double Exp2(double x) { return std::exp2(x); }
inline double Expm1(double x) { return std::expm1(x); }
inline double Log(double x) { return std::log(x); }
inline double Log2(double x) { return std::log2(x); }
inline double Log10(double x) { return std::log10(x); }
inline double Log1p(double x) { return std::log1p(x); }
inline double Sin(double x) { return std::sin(x); }
inline double Cos(double x) { return std::cos(x); }
inline double Tan(double x) { return std::tan(x); }
inline double Asin(double x) { return std::asin(x); }
inline double Acos(double x) { return std::acos(x); }
inline double Atan(double x) { return std::atan(x); }
inline double Atan2(double y, double x) { return std::atan2(y, x); }
inline double Sinh(double x) { return std::sinh(x); }
inline double Cosh(double x) { return std::cosh(x); }
inline double Tanh(double x) { return std::tanh(x); }
inline double Asinh(double x) { return std::asinh(x); }
inline double Acosh(double x) { return std::acosh(x); }
inline double Atanh(double x) { return std::atanh(x); }
inline double Erf(double x) { return std::erf(x); }
inline double Erfc(double x) { return std::erfc(x); }
inline double Pow(double x, double y) { return std::pow(x, y); }
inline double Cbrt(double x) { return std::cbrt(x); }
inline double Sigmoid(double x) {
  // exp of a negative number never overflows, and small results stay exact.
  double e = std::exp(-std::fabs(x));
  return (x < 0 ? e : 1.0) / (1.0 + e);
}
inline double Softplus(double x) {
  return (x > 0 ? x : 0.0) + std::log1p(std::exp(-std::fabs(x)));
}
inline double Gelu(double x) {
  constexpr double kRootHalf = 0.70710678118654752440;
  double p = 0.5 * std::erfc(-x * kRootHalf);
  return p == 0 ? -0.0 : x * p;  // also at -infinity
}
inline double GeluTanh(double x) {
  constexpr double kSlope = 1.59576912160573071176;  // 2 sqrt(2 / pi)
  double p = Sigmoid(kSlope * x * (1 + 0.044715 * x * x));
  return p == 0 ? -0.0 : x * p;
}

}  // namespace sluice::vmath
