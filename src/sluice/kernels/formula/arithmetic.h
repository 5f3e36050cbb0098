// Shared by the formulas of elementwise ops: the type they compute in, wrapping
// integers, parameters. A formula is a struct in its op's file
// (kernels/cpu/elementwise.h has the form). It is compiled into CPU loops and,
// from its source, into kernels of other devices. This header is part of that
// source and uses nothing of the host but <type_traits> and numbers.
//
// Plain functions of values.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include "sluice/op/block_params.h"
#include "sluice/tensor/dtype.h"

namespace sluice {

// The type in which arithmetic on T is done.
template <class T>
struct ComputeOf {
  using type = T;
};
template <>
struct ComputeOf<f16> {
  using type = float;
};
template <>
struct ComputeOf<bf16> {
  using type = float;
};
template <class T>
using Compute = typename ComputeOf<T>::type;

// Integers as an unsigned type at least as wide as int; other types unchanged.
template <class C>
auto ToWrap(C v) {
  if constexpr (std::is_integral_v<C> && sizeof(C) < 4) {
    return static_cast<uint32_t>(v);
  } else if constexpr (std::is_integral_v<C>) {
    return static_cast<std::make_unsigned_t<C>>(v);
  } else {
    return v;
  }
}
template <class C, class U>
C Wrap(U v) {
  return static_cast<C>(v);
}

// The textbook complex product: the library's version repairs NaNs and is ten
// times slower.
inline complex64 ComplexMul(complex64 a, complex64 b) {
  return {a.real() * b.real() - a.imag() * b.imag(),
          a.real() * b.imag() + a.imag() * b.real()};
}

// Formulas of many steps (kernels/cpu/long_formula.h).
struct LongFormula {
  static constexpr int kInterleave = 4;  // vectors at a time
};

// Bases of formulas that take one or two numbers from attributes, as the last
// arguments of Apply.
struct OneNumber {
  template <class C>
  static C Prepare(const BlockParams& params) {
    return static_cast<C>(params.p[0]);
  }
};

template <class C>
struct Numbers {
  C a, b;
};
struct TwoNumbers {
  template <class C>
  static Numbers<C> Prepare(const BlockParams& params) {
    return {static_cast<C>(params.p[0]), static_cast<C>(params.p[1])};
  }
};

}  // namespace sluice
