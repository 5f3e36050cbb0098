// Formulas that are not structs of an op's file: conversions, selections, parts
// of complex numbers. Operands have the types of the computation.
#pragma once

#include <cmath>
#include <limits>

#include "sluice/kernels/formula/arithmetic.h"

namespace sluice::formula {

// As in kernels/cpu/convert.cc: out-of-range floats become the nearest limit of
// an integer type, NaN becomes 0.
template <class To>
struct ConvertTo {
  template <class From>
  static To Apply(From v) {
    if constexpr (std::is_same_v<From, complex64>) {
      if constexpr (std::is_same_v<To, complex64>) {
        return v;
      } else if constexpr (std::is_same_v<To, bool>) {
        return v != complex64(0.0f);
      } else {
        return Apply(double(v.real()));
      }
    } else if constexpr (std::is_same_v<To, complex64>) {
      return complex64(float(v), 0.0f);
    } else if constexpr (std::is_same_v<To, bool>) {
      return v != From(0);
    } else if constexpr (std::is_same_v<To, f16> || std::is_same_v<To, bf16>) {
      return To(float(v));
    } else if constexpr (std::is_integral_v<To> &&
                         std::is_floating_point_v<From>) {
      constexpr From kLow = From(std::numeric_limits<To>::min());
      constexpr From kHigh = From(std::numeric_limits<To>::max() / 2 + 1) * 2;
      if (v < kLow) return std::numeric_limits<To>::min();
      if (v >= kHigh) return std::numeric_limits<To>::max();
      return v == v ? To(v) : To(0);
    } else {
      return To(v);
    }
  }
};

struct Select {
  template <class C>
  static C Apply(bool take, C a, C b) {
    return take ? a : b;
  }
};
struct MaskedFill {
  template <class C>
  static C Apply(C x, bool fill, C value) {
    return fill ? value : x;
  }
};
struct KeepScaled {
  template <class C>
  static C Prepare(const BlockParams& params) {
    return C(params.p[0]);
  }
  template <class C>
  static C Apply(C dy, bool kept, C scale) {
    C v = dy * scale;
    return kept ? v : C(0);
  }
};

struct Real {
  static float Apply(complex64 x) { return x.real(); }
};
struct Imag {
  static float Apply(complex64 x) { return x.imag(); }
};
struct Conj {
  static complex64 Apply(complex64 x) { return {x.real(), -x.imag()}; }
};
struct MakeComplex {
  static complex64 Apply(float re, float im) { return {re, im}; }
};
struct ComplexAbs {
  static float Apply(complex64 x) {
    double re = x.real(), im = x.imag();
    return float(std::sqrt(re * re + im * im));
  }
};

}  // namespace sluice::formula
