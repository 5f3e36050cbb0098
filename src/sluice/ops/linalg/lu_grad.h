// The gradient of an LU factorisation; the order of the rows moves by jumps
// alone. NaN for a matrix with a zero on the diagonal of U.
#pragma once

#include <algorithm>
#include <cmath>

#include "sluice/ops/linalg/matrix_grad.h"

namespace sluice {

namespace lu_internal {

inline GradVar StrictlyLower(GradContext& g, GradVar x) {
  return matrix::Lower(g, x) - matrix::Diagonal(g, x);
}
// l^-T b with ones on the diagonal of l, and b u^-T.
inline GradVar SolveLeft(GradContext& g, GradVar l, GradVar b) {
  return g.call("TriangularSolve", {l, b},
                {{"adjoint", true}, {"unit_diagonal", true}});
}
inline GradVar SolveRight(GradContext& g, GradVar u, GradVar b) {
  return g.call("TriangularSolve", {u, b},
                {{"left", false}, {"lower", false}, {"adjoint", true}});
}

}  // namespace lu_internal

inline void LuGrad(GradContext& g) {
  using namespace matrix;
  using namespace lu_internal;
  Sides x;
  if (!KnownSides(g, &x)) return;
  const int64_t k = std::min(x.m, x.n);
  if (k == 0) return g.set_dx(0, g.zeros_like(g.in(0)));
  GradVar lu = g.out(0), dlu = g.dy(0), zero = g.scalar(0, lu.dtype());
  // The square part, both factors in one; ones replace zero pivots.
  GradVar square = Part(g, lu, 0, k, 0, k), dsquare = Part(g, dlu, 0, k, 0, k);
  GradVar none = g.cast(g.call("Equal", {square, zero}), lu.dtype());
  none = Diagonal(g, none);
  GradVar packed = square + none;
  GradVar l = StrictlyLower(g, square) + Diagonal(g, g.ones_like(square));
  GradVar below = TransposedTimes(g, l, StrictlyLower(g, dsquare));
  GradVar above = TimesTransposed(g, Upper(g, dsquare), Upper(g, square));
  GradVar rest, drest;
  if (x.n > k) {  // further columns: u2 = l^-1 x2
    rest = Columns(g, lu, k, x.n - k), drest = Columns(g, dlu, k, x.n - k);
    below = below - TimesTransposed(g, drest, rest);
  }
  if (x.m > k) {  // further rows: l2 = x2 u^-1
    rest = Rows(g, lu, k, x.m - k), drest = Rows(g, dlu, k, x.m - k);
    above = above - TransposedTimes(g, rest, drest);
  }
  GradVar flow = StrictlyLower(g, below) + Upper(g, above);
  GradVar dx = SolveRight(g, packed, SolveLeft(g, packed, flow));
  if (x.n > k) dx = SideBySide(g, dx, SolveLeft(g, packed, drest));
  if (x.m > k) dx = OneAboveOther(g, dx, SolveRight(g, packed, drest));

  GradVar nones =
      g.call("Sum", {none},
             {{"axes", std::vector<int64_t>{-2, -1}}, {"keep_dims", true}});
  GradVar nan = g.scalar(std::nan(""), lu.dtype());
  dx = g.call("Select", {g.call("Greater", {nones, zero}), nan, dx});
  // Rows back to where they were.
  GradVar order =
      g.call("OneHot", {g.out(1)}, {{"depth", x.m}, {"dtype", lu.dtype()}});
  g.set_dx(0, TransposedTimes(g, order, dx));
}

}  // namespace sluice
