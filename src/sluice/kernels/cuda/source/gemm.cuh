// Matrix products of types without a library: one thread per element. T, Out:
// the types of operands and results; half types are summed in float, integers
// wrap.
#pragma once

#include "sluice/cuda/elementwise.cuh"

namespace sluice {

struct GemmArgs {
  const void *a, *b;
  void* c;
  int64_t m, n, k, batch;
  int64_t a_row, a_column, b_row, b_column;
  int64_t a_batch, b_batch, c_batch;
  const void* add;  // added to the results unless null
  int64_t add_row;
};

template <class C>
inline C MultiplyAdd(C sum, C a, C b) {
  if constexpr (std::is_same_v<C, complex64>) {
    return sum + ComplexMul(a, b);
  } else {
    return Wrap<C>(ToWrap(sum) + ToWrap(a) * ToWrap(b));
  }
}

SL_GLOBAL(gemm, GemmArgs, g) {
  using C = Compute<T>;
  const T* a = static_cast<const T*>(g.a);
  const T* b = static_cast<const T*>(g.b);
  Out* c = static_cast<Out*>(g.c);
  int64_t each = g.m * g.n, all = each * g.batch;
  for (int64_t i = FirstThread(); i < all; i += AllThreads()) {
    int64_t batch = i / each, at = i - batch * each;
    int64_t row = at / g.n, column = at - row * g.n;
    const T* x = a + batch * g.a_batch + row * g.a_row;
    const T* y = b + batch * g.b_batch + column * g.b_column;
    C sum = C(0);
    for (int64_t k = 0; k < g.k; ++k) {
      C u = static_cast<C>(x[k * g.a_column]);
      C v = static_cast<C>(y[k * g.b_row]);
      sum = MultiplyAdd(sum, u, v);
    }
    if (g.add) {
      sum = MultiplyAdd(static_cast<C>(static_cast<const Out*>(
                            g.add)[row * g.add_row + column]),
                        sum, C(1));
    }
    c[batch * g.c_batch + at] = static_cast<Out>(sum);
  }
}

}  // namespace sluice
