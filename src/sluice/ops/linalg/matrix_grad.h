// Words for gradient rules of linear algebra: matrices are the last two axes,
// the axes before them are carried along.
#pragma once

#include <numeric>

#include "sluice/kernels/cpu/matrix_batch.h"
#include "sluice/op/grad_context.h"

namespace sluice::matrix {

inline GradVar Times(GradContext& g, GradVar a, GradVar b, bool transpose_a,
                     bool transpose_b) {
  return g.call("BatchMatMul", {a, b},
                {{"transpose_a", transpose_a}, {"transpose_b", transpose_b}});
}
// a b, a^T b, a b^T.
inline GradVar Times(GradContext& g, GradVar a, GradVar b) {
  return Times(g, a, b, false, false);
}
inline GradVar TransposedTimes(GradContext& g, GradVar a, GradVar b) {
  return Times(g, a, b, true, false);
}
inline GradVar TimesTransposed(GradContext& g, GradVar a, GradVar b) {
  return Times(g, a, b, false, true);
}

inline GradVar Transposed(GradContext& g, GradVar x) {
  if (!x) return {};
  if (x.rank() < 0) {
    g.fail("the gradient needs to know how many axes there are");
    return {};
  }
  std::vector<int64_t> perm(static_cast<size_t>(x.rank()));
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[perm.size() - 2], perm[perm.size() - 1]);
  return g.call("Transpose", {x}, {{"perm", perm}});
}

inline GradVar Band(GradContext& g, GradVar x, int64_t lower, int64_t upper) {
  return g.call("MatrixBandPart", {x}, {{"lower", lower}, {"upper", upper}});
}
// Including the diagonal.
inline GradVar Lower(GradContext& g, GradVar x) { return Band(g, x, -1, 0); }
inline GradVar Upper(GradContext& g, GradVar x) { return Band(g, x, 0, -1); }
inline GradVar Diagonal(GradContext& g, GradVar x) { return Band(g, x, 0, 0); }

// A vector as a matrix of one row (scales columns) or column (scales rows), a
// number as a matrix of one element.
inline GradVar AsRow(GradContext& g, GradVar x) {
  return g.call("ExpandDims", {x}, {{"axis", -2}});
}
inline GradVar AsColumn(GradContext& g, GradVar x) {
  return g.call("ExpandDims", {x}, {{"axis", -1}});
}
inline GradVar AsMatrix(GradContext& g, GradVar x) {
  return AsColumn(g, AsColumn(g, x));
}

// A block of rows or columns; a count of -1 means all that follow.
inline GradVar Part(GradContext& g, GradVar x, int64_t row, int64_t rows,
                    int64_t column, int64_t columns) {
  if (!x) return {};
  auto rank = static_cast<size_t>(x.rank());
  std::vector<int64_t> begin(rank, 0), size(rank, -1);
  begin[rank - 2] = row, size[rank - 2] = rows;
  begin[rank - 1] = column, size[rank - 1] = columns;
  return g.call("Slice", {x}, {{"begin", begin}, {"size", size}});
}
inline GradVar Rows(GradContext& g, GradVar x, int64_t from, int64_t count) {
  return Part(g, x, from, count, 0, -1);
}
inline GradVar Columns(GradContext& g, GradVar x, int64_t from, int64_t count) {
  return Part(g, x, 0, -1, from, count);
}
inline GradVar SideBySide(GradContext& g, GradVar a, GradVar b) {
  return g.call("Concat", {a, b}, {{"axis", -1}});
}
inline GradVar OneAboveOther(GradContext& g, GradVar a, GradVar b) {
  return g.call("Concat", {a, b}, {{"axis", -2}});
}

// The gradient of a symmetric matrix, for ops that read only its lower
// triangle: an element below the diagonal counts twice.
inline GradVar ForLowerTriangle(GradContext& g, GradVar s) {
  return Lower(g, s + Transposed(g, s)) - Diagonal(g, s);
}

// Rows and columns of input 0, for rules that use blocks of it. False: they are
// unknown, and the rule has failed.
struct Sides {
  int64_t m = 0, n = 0;
};
inline bool KnownSides(GradContext& g, Sides* sides) {
  PartialShape x = g.in(0).shape();
  if (x.rank_known()) *sides = {DimFromEnd(x, 1), DimFromEnd(x, 0)};
  if (x.rank_known() && sides->m >= 0 && sides->n >= 0) return true;
  g.fail("the gradient needs to know the sizes of the matrices");
  return false;
}

}  // namespace sluice::matrix
