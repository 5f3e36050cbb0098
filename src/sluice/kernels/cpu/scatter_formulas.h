// The formula of an update for each ScatterOp. Stateless.
#pragma once

#include "sluice/kernels/formula/arithmetic.h"

namespace sluice::scatter_formulas {

struct UpdateFn {
  template <class C>
  static C Apply(C, C u) {
    return u;
  }
};
struct AddFn {
  template <class C>
  static C Apply(C y, C u) {
    return Wrap<C>(ToWrap(y) + ToWrap(u));
  }
};
struct SubFn {
  template <class C>
  static C Apply(C y, C u) {
    return Wrap<C>(ToWrap(y) - ToWrap(u));
  }
};
struct MulFn {
  template <class C>
  static C Apply(C y, C u) {
    if constexpr (std::is_same_v<C, complex64>) {
      return ComplexMul(y, u);
    } else {
      return Wrap<C>(ToWrap(y) * ToWrap(u));
    }
  }
};
struct MinFn {
  template <class C>
  static C Apply(C y, C u) {
    return u < y || u != u ? u : y;
  }
};
struct MaxFn {
  template <class C>
  static C Apply(C y, C u) {
    return u > y || u != u ? u : y;
  }
};

}  // namespace sluice::scatter_formulas
