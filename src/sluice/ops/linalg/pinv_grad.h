// The gradient of a pseudoinverse, shared by Pinv and LeastSquares.
#pragma once

#include <cmath>

#include "sluice/ops/linalg/matrix_grad.h"

namespace sluice {

namespace pinv_internal {

// While the rank is constant, with P the pseudoinverse and A the matrix, dP =
// -P dA P + P P^T dA^T (I - A P) + (I - P A) dA^T P^T P. There is no division,
// so equal singular values do no harm.
inline GradVar OfFixedRank(GradContext& g, GradVar a, GradVar p, GradVar dp) {
  using namespace matrix;
  GradVar inner = Times(g, p, TimesTransposed(g, dp, p), true, false);
  GradVar left = TimesTransposed(g, TransposedTimes(g, dp, p), p);
  left = left - Times(g, a, Times(g, p, left));
  GradVar right = TransposedTimes(g, p, TimesTransposed(g, p, dp));
  right = right - Times(g, Times(g, right, p), a);
  return left + right - inner;
}

// With singular values s cut off below a fraction of the largest. In the basis
// of the singular vectors, element (i, j) of dP depends on (j, i) and (i, j) of
// dA, with the factors `across` and `along`.
inline GradVar WithCut(GradContext& g, GradVar a, GradVar dp, double rcond) {
  using namespace matrix;
  const GradVar in[] = {a};
  GradVars usv = g.call_all("Svd", in);
  if (usv.empty()) return {};
  GradVar u = usv[0], s = usv[1], vt = usv[2];
  // Not Max, which requires at least one element.
  GradVar largest = g.call("Norm", {s},
                           {{"axes", std::vector<int64_t>{-1}},
                            {"keep_dims", true},
                            {"p", HUGE_VAL}});
  GradVar kept = g.cast(g.call("Greater", {s, largest * rcond}), s.dtype());
  GradVar inverse = g.call("DivNoNan", {kept, s});
  GradVar squares = g.call("Square", {s});
  auto pairs = [&](GradVar row, GradVar column) {
    return AsRow(g, row) * AsColumn(g, column);
  };
  auto gaps = [&](GradVar v) { return AsRow(g, v) - AsColumn(g, v); };
  GradVar across = g.call("DivNoNan", {gaps(kept), gaps(squares)});
  GradVar along = across * (pairs(inverse, s) + pairs(s, inverse)) -
                  pairs(inverse, inverse);
  GradVar flow = Times(g, vt, Times(g, dp, u));
  GradVar inner = across * Transposed(g, flow) + along * flow;
  GradVar y = Times(g, u, Times(g, inner, vt));
  // Vectors that belong to no singular value count as cut ones of 0.
  GradVar weight = g.call("Square", {inverse});
  GradVar left = Times(g, dp, vt, true, true) * AsRow(g, weight);
  left = left - Times(g, u, TransposedTimes(g, u, left));
  GradVar right = AsColumn(g, weight) * Times(g, u, dp, true, true);
  right = right - Times(g, TimesTransposed(g, right, vt), vt);
  return y + Times(g, left, vt) + Times(g, u, right);
}

}  // namespace pinv_internal

// The gradient of a from that of its pseudoinverse p; rcond as of Pinv.
inline GradVar PinvBack(GradContext& g, GradVar a, GradVar p, GradVar dp,
                        double rcond) {
  return rcond < 0 ? pinv_internal::OfFixedRank(g, a, p, dp)
                   : pinv_internal::WithCut(g, a, dp, rcond);
}

}  // namespace sluice
