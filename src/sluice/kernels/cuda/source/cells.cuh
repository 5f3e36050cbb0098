// The pointwise parts of recurrent cells, and gated linear units: formulas over
// adjacent parts of a row. T: the elements' type; SL_CELL: which one.
#pragma once

#include "sluice/cuda/affine.cuh"
#include "sluice/kernels/cpu/vector_math.h"

namespace sluice {

constexpr int kCellArrays = 5;

struct CellArgs {
  const T* in[kCellArrays];
  T* out[kCellArrays];
  int64_t rows, n;  // n: elements of a part
};

// Element k of row r: In(a, i, g) is part g of input i, which has `parts`.
struct CellPlace {
  const CellArgs& a;
  int64_t r, k;
  Compute<T> In(int i, int parts = 1, int g = 0) const {
    return Widen(a.in[i][(r * parts + g) * a.n + k]);
  }
  void Out(int i, int parts, int g, Compute<T> v) const {
    a.out[i][(r * parts + g) * a.n + k] = Narrow<T>(v);
  }
};

inline void LstmCell(const CellPlace& p) {
  using C = Compute<T>;
  C i = vmath::Sigmoid(p.In(0, 4, 0)), f = vmath::Sigmoid(p.In(0, 4, 1));
  C g = vmath::Tanh(p.In(0, 4, 2)), o = vmath::Sigmoid(p.In(0, 4, 3));
  C cell = MulAdd(f, p.In(1), i * g);
  p.Out(1, 1, 0, cell);
  p.Out(0, 1, 0, o * vmath::Tanh(cell));
  p.Out(2, 4, 0, i);
  p.Out(2, 4, 1, f);
  p.Out(2, 4, 2, g);
  p.Out(2, 4, 3, o);
}

// dh, dc_new, activations, c, c_new -> dgates, dc.
inline void LstmCellGrad(const CellPlace& p) {
  using C = Compute<T>;
  C i = p.In(2, 4, 0), f = p.In(2, 4, 1), g = p.In(2, 4, 2), o = p.In(2, 4, 3);
  C t = vmath::Tanh(p.In(4)), up = p.In(0);
  C cell = MulAdd(up * o, MulAdd(-t, t, C(1)), p.In(1));
  p.Out(0, 4, 0, cell * g * (i * (1 - i)));
  p.Out(0, 4, 1, cell * p.In(3) * (f * (1 - f)));
  p.Out(0, 4, 2, cell * i * MulAdd(-g, g, C(1)));
  p.Out(0, 4, 3, up * t * (o * (1 - o)));
  p.Out(1, 1, 0, cell * f);
}

inline void GruCell(const CellPlace& p) {
  using C = Compute<T>;
  C r = vmath::Sigmoid(p.In(0, 3, 0) + p.In(1, 3, 0));
  C z = vmath::Sigmoid(p.In(0, 3, 1) + p.In(1, 3, 1));
  C m = vmath::Tanh(MulAdd(r, p.In(1, 3, 2), p.In(0, 3, 2)));
  p.Out(0, 1, 0, MulAdd(z, p.In(2) - m, m));
  p.Out(1, 3, 0, r);
  p.Out(1, 3, 1, z);
  p.Out(1, 3, 2, m);
}

// dh_new, activations, h_gates, h -> dx_gates, dh_gates, dh.
inline void GruCellGrad(const CellPlace& p) {
  using C = Compute<T>;
  C r = p.In(1, 3, 0), z = p.In(1, 3, 1), m = p.In(1, 3, 2), up = p.In(0);
  C dm = up * (1 - z) * MulAdd(-m, m, C(1));
  C dz = up * (p.In(3) - m) * (z * (1 - z));
  C dr = dm * p.In(2, 3, 2) * (r * (1 - r));
  p.Out(0, 3, 0, dr);
  p.Out(1, 3, 0, dr);
  p.Out(0, 3, 1, dz);
  p.Out(1, 3, 1, dz);
  p.Out(0, 3, 2, dm);
  p.Out(1, 3, 2, dm * r);
  p.Out(2, 1, 0, up * z);
}

inline void Glu(const CellPlace& p) {
  p.Out(0, 1, 0, p.In(0, 2, 0) * vmath::Sigmoid(p.In(0, 2, 1)));
}

// dy, x -> dx.
inline void GluGrad(const CellPlace& p) {
  using C = Compute<T>;
  C s = vmath::Sigmoid(p.In(1, 2, 1)), g = p.In(0) * s;
  p.Out(0, 2, 0, g);
  p.Out(0, 2, 1, g * (1 - s) * p.In(1, 2, 0));
}

SL_GLOBAL(cell, CellArgs, a) {
  for (int64_t t = FirstThread(); t < a.rows * a.n; t += AllThreads()) {
    int64_t r = Quotient(t, a.n);
    SL_CELL(CellPlace{a, r, t - r * a.n});
  }
}

}  // namespace sluice
