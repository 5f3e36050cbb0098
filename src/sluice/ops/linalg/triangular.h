// Triangular systems, row-major, by BLAS: what CholeskySolve and
// TriangularSolve share.
#pragma once

#include "sluice/kernels/cpu/lapack.h"
#include "sluice/kernels/cpu/matrix_batch.h"

namespace sluice {

struct TriangularSystem {
  bool left = true;  // op(A) X = B, else X op(A) = B
  bool lower = true;
  bool transposed = false;  // op(A) = A^T
  bool unit_diagonal = false;
};

// B (m x n) becomes X. Read as column-major, every matrix is its own transpose:
// sides and triangles are exchanged, op() stays.
template <class T>
void SolveTriangular(const Lapack& lapack, const TriangularSystem& s,
                     const T* a, int64_t m, int64_t n, T* b) {
  T one = 1;
  auto rows = static_cast<LapackInt>(n), columns = static_cast<LapackInt>(m);
  LapackInt lda = AtLeastOne(s.left ? m : n), ldb = AtLeastOne(n);
  lapack.of<T>().trsm(s.left ? "R" : "L", s.lower ? "U" : "L",
                      s.transposed ? "T" : "N", s.unit_diagonal ? "U" : "N",
                      &rows, &columns, &one, a, &lda, b, &ldb, 1, 1, 1, 1);
}

// The first zero on the diagonal of an n x n matrix, or -1.
template <class T>
int64_t ZeroOnDiagonal(const T* a, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    if (a[i * n + i] == T(0)) return i;
  }
  return -1;
}

}  // namespace sluice
