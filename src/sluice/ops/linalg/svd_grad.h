// The gradient of a singular value decomposition. Vectors of equal singular
// values are not unique: what flows into their choice is dropped.
#pragma once

#include <algorithm>

#include "sluice/ops/linalg/matrix_grad.h"

namespace sluice {

namespace svd_internal {

// Singular vectors as columns, and their gradients; those beyond the k with
// singular values are folded into the others, to which they stay orthogonal.
// False: they are not unique, and the rule has failed.
inline bool KeepFirst(GradContext& g, int64_t k, int64_t all, GradVar* u,
                      GradVar* du) {
  using namespace matrix;
  if (!g.attr<bool>("full_matrices") || all == k) return true;
  if (all > k + 1) {
    g.fail("vectors that x does not determine have no gradient");
    return false;
  }
  GradVar rest = Columns(g, *u, k, 1), drest = Columns(g, *du, k, 1);
  *u = Columns(g, *u, 0, k);
  *du = Columns(g, *du, 0, k) - Times(g, rest, TransposedTimes(g, drest, *u));
  return true;
}

// (u^T du - du^T u) over the gaps between the squares of singular values.
inline GradVar Turn(GradContext& g, GradVar u, GradVar du, GradVar s) {
  using namespace matrix;
  GradVar squares = g.call("Square", {s});
  GradVar gaps = AsRow(g, squares) - AsColumn(g, squares);
  GradVar flow = TransposedTimes(g, u, du);
  return g.call("DivNoNan", {flow - Transposed(g, flow), gaps});
}

// du minus its projection onto the columns of u, each divided by its singular
// value; zero if u is square.
inline GradVar Outside(GradContext& g, GradVar u, GradVar du, GradVar s) {
  using namespace matrix;
  GradVar outside = du - Times(g, u, TransposedTimes(g, u, du));
  return g.call("DivNoNan", {outside, AsRow(g, s)});
}

}  // namespace svd_internal

inline void SvdGrad(GradContext& g) {
  using namespace matrix;
  PartialShape shape = g.in(0).shape();
  const int64_t unknown = -1;
  Sides x{unknown, unknown};
  if (shape.rank_known()) x = {DimFromEnd(shape, 1), DimFromEnd(shape, 0)};
  if (g.attr<bool>("full_matrices") && !KnownSides(g, &x)) return;
  const bool known = x.m >= 0 && x.n >= 0;
  const int64_t k = known ? std::min(x.m, x.n) : unknown;
  if (k == 0) return g.set_dx(0, g.zeros_like(g.in(0)));
  GradVar u = g.out(0), s = g.out(1), vt = g.out(2), du, dv, dx;
  const bool vectors = g.attr<bool>("compute_uv");
  if (!vectors) {
    const GradVar in[] = {g.in(0)};
    GradVars made = g.call_all("Svd", in);
    if (made.empty()) return;
    u = made[0], vt = made[2];
  }
  GradVar v = Transposed(g, vt);
  if (vectors && g.has_dy(0)) du = g.dy(0);
  if (vectors && g.has_dy(2)) dv = Transposed(g, g.dy(2));
  if (vectors && g.attr<bool>("full_matrices")) {
    if (!du) u = Columns(g, u, 0, k);
    if (!dv) v = Columns(g, v, 0, k);
  }
  if (du && !svd_internal::KeepFirst(g, k, x.m, &u, &du)) return;
  if (dv && !svd_internal::KeepFirst(g, k, x.n, &v, &dv)) return;

  auto add = [&](GradVar part) { dx = dx ? dx + part : part; };
  if (g.has_dy(1)) add(TimesTransposed(g, u * AsRow(g, g.dy(1)), v));
  if (du) {
    GradVar turn = svd_internal::Turn(g, u, du, s) * AsRow(g, s);
    add(TimesTransposed(g, Times(g, u, turn), v));
    if (!known || x.m > k) {
      add(TimesTransposed(g, svd_internal::Outside(g, u, du, s), v));
    }
  }
  if (dv) {
    GradVar turn = AsColumn(g, s) * svd_internal::Turn(g, v, dv, s);
    add(TimesTransposed(g, Times(g, u, turn), v));
    if (!known || x.n > k) {
      add(TimesTransposed(g, u, svd_internal::Outside(g, v, dv, s)));
    }
  }
  g.set_dx(0, dx);
}

}  // namespace sluice
