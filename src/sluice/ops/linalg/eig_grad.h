// The gradient of Eig. With X = V^-1 dA V, eigenvalues change by the diagonal
// of X, and vectors by V M with M_ij = X_ij / (w_j - w_i) off the diagonal,
// minus the part that would change their length or the sign of their largest
// component. The rule is the adjoint of that, on pairs of real matrices.
#pragma once

#include "sluice/ops/linalg/matrix_grad.h"

namespace sluice::eig_grad {

// A complex matrix, or what broadcasts against one.
struct Pair {
  GradVar re, im;
};

inline Pair Conj(Pair a) { return {a.re, -a.im}; }
inline Pair Minus(Pair a, Pair b) { return {a.re - b.re, a.im - b.im}; }
// Element by element.
inline Pair Product(Pair a, Pair b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
// a^H b.
inline Pair AdjointTimes(GradContext& g, Pair a, Pair b) {
  using matrix::TransposedTimes;
  return {TransposedTimes(g, a.re, b.re) + TransposedTimes(g, a.im, b.im),
          TransposedTimes(g, a.re, b.im) - TransposedTimes(g, a.im, b.re)};
}

// The sum of each column, as a row.
inline GradVar ColumnSums(GradContext& g, GradVar x) {
  return g.call("Sum", {x},
                {{"axes", std::vector<int64_t>{-2}}, {"keep_dims", true}});
}

// 1 at each column's largest component, which is real and positive: on ties, at
// the one that was made positive.
inline GradVar Largest(GradContext& g, Pair v) {
  GradVar squares = g.call("Square", {v.re}) + g.call("Square", {v.im});
  GradVar most =
      g.call("Max", {squares},
             {{"axes", std::vector<int64_t>{-2}}, {"keep_dims", true}});
  double tie = v.re.dtype() == DType::kF64 ? 1 - 3e-9 : 1 - 3e-4;
  GradVar zero = g.scalar(0, v.re.dtype());
  GradVar near = g.call("GreaterEqual", {squares, most * tie});
  // Among the largest, the one without an imaginary part.
  GradVar real = g.call("Equal", {v.im, zero});
  GradVar positive = g.call("Greater", {v.re, zero});
  GradVar there =
      g.call("LogicalAnd", {near, g.call("LogicalAnd", {real, positive})});
  GradVar marks = g.cast(there, v.re.dtype());
  // Several of a real vector: any one does, as none of them turns.
  return marks /
         g.call("Maximum", {ColumnSums(g, marks), g.scalar(1, v.re.dtype())});
}

// The gradient of V M, from that of V.
inline Pair Free(GradContext& g, Pair v, Pair dv) {
  // a + ib = v^H dv of each column.
  GradVar a = ColumnSums(g, v.re * dv.re + v.im * dv.im);
  GradVar b = ColumnSums(g, v.re * dv.im - v.im * dv.re);
  GradVar mark = Largest(g, v);
  GradVar at = g.call("DivNoNan", {b, ColumnSums(g, mark * v.re)});
  return Minus(dv, {v.re * a, v.im * a + mark * at});
}

// w_j - w_i in row i and column j, inverted, conjugated; 0 where both are one.
inline Pair InverseGaps(GradContext& g, Pair w) {
  using matrix::AsColumn;
  using matrix::AsRow;
  GradVar re = AsRow(g, w.re) - AsColumn(g, w.re);
  GradVar im = AsRow(g, w.im) - AsColumn(g, w.im);
  GradVar size = g.call("Square", {re}) + g.call("Square", {im});
  return {g.call("DivNoNan", {re, size}), g.call("DivNoNan", {im, size})};
}

}  // namespace sluice::eig_grad

namespace sluice {

inline void EigGrad(GradContext& g) {
  using namespace matrix;
  using eig_grad::Pair;
  Pair w{g.out(0), g.out(1)}, v{g.out(2), g.out(3)};
  bool vectors = g.attr<bool>("compute_v");
  if (!vectors) {
    const GradVar in[] = {g.in(0)};
    GradVars made = g.call_all("Eig", in);
    if (made.empty()) return;
    v = {made[2], made[3]};
  }
  // The gradient of V^-1 dA V.
  Pair x;
  if (vectors && (g.has_dy(2) || g.has_dy(3))) {
    Pair free = eig_grad::Free(g, v, {g.dy(2), g.dy(3)});
    x = eig_grad::Product(eig_grad::AdjointTimes(g, v, free),
                          eig_grad::InverseGaps(g, w));
  }
  if (g.has_dy(0) || g.has_dy(1)) {
    GradVar unit = Diagonal(g, g.ones_like(v.re));
    Pair along{unit * AsRow(g, g.dy(0)), unit * AsRow(g, g.dy(1))};
    x = x.re ? Pair{x.re + along.re, x.im + along.im} : along;
  }
  if (!x.re) return;
  // V^-H x, by the real matrix of twice the size that represents V.
  GradVar left = OneAboveOther(g, v.re, v.im);
  GradVar right = OneAboveOther(g, -v.im, v.re);
  GradVar whole = Transposed(g, SideBySide(g, left, right));
  GradVar z = g.call("Solve", {whole, OneAboveOther(g, x.re, x.im)});
  Sides sides;
  if (!KnownSides(g, &sides)) return;
  GradVar re = Rows(g, z, 0, sides.n), im = Rows(g, z, sides.n, sides.n);
  g.set_dx(0, TimesTransposed(g, re, v.re) + TimesTransposed(g, im, v.im));
}

}  // namespace sluice
