// The gradient of a QR factorisation.
#pragma once

#include <algorithm>

#include "sluice/ops/linalg/matrix_grad.h"

namespace sluice {

namespace qr_internal {

// For q with as many columns as the triangle r has.
inline GradVar Thin(GradContext& g, GradVar q, GradVar r, GradVar dq,
                    GradVar dr) {
  using namespace matrix;
  GradVar m = TimesTransposed(g, r, Upper(g, dr)) - TransposedTimes(g, dq, q);
  GradVar lower = Lower(g, m);
  GradVar both = lower + Transposed(g, lower) - Diagonal(g, m);
  GradVar flow = dq + Times(g, q, both);
  return g.call("TriangularSolve", {r, flow},
                {{"left", false}, {"lower", false}, {"adjoint", true}});
}

}  // namespace qr_internal

inline void QrGrad(GradContext& g) {
  using namespace matrix;
  Sides x;
  if (!KnownSides(g, &x)) return;
  if (std::min(x.m, x.n) == 0) return g.set_dx(0, g.zeros_like(g.in(0)));
  GradVar q = g.out(0), r = g.out(1), dq = g.dy(0), dr = g.dy(1);
  if (x.m < x.n) {
    // x = [a b], r = [u v]: a = q u, and v = q^T b.
    GradVar b = Columns(g, g.in(0), x.m, x.n - x.m);
    GradVar dv = Columns(g, dr, x.m, x.n - x.m);
    GradVar da = qr_internal::Thin(g, q, Columns(g, r, 0, x.m),
                                   dq + TimesTransposed(g, b, dv),
                                   Columns(g, dr, 0, x.m));
    return g.set_dx(0, SideBySide(g, da, Times(g, q, dv)));
  }
  if (x.m > x.n && g.attr<bool>("full")) {
    if (x.m > x.n + 1 && g.has_dy(0)) {
      return g.fail("columns of q that x does not determine have no gradient");
    }
    // The column that is left follows the others: it stays orthogonal to them.
    GradVar rest = Columns(g, q, x.n, x.m - x.n);
    GradVar drest = Columns(g, dq, x.n, x.m - x.n);
    q = Columns(g, q, 0, x.n);
    dq = Columns(g, dq, 0, x.n) - Times(g, rest, TransposedTimes(g, drest, q));
    r = Rows(g, r, 0, x.n);
    dr = Rows(g, dr, 0, x.n);
  }
  g.set_dx(0, qr_internal::Thin(g, q, r, dq, dr));
}

}  // namespace sluice
