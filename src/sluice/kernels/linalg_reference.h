// Naive linear algebra in double precision for the reference functions of op
// records: elimination, Gram and Schmidt, Jacobi rotations. Nothing here knows
// LAPACK, which it is there to check.
#pragma once

#include <functional>
#include <vector>

#include "sluice/kernels/reference.h"

namespace sluice::ref {

using Matrix = std::vector<std::vector<double>>;  // rows
using Vector = std::vector<double>;

Matrix Zeros(int64_t rows, int64_t columns);
Matrix Unit(int64_t n);
Matrix Transposed(const Matrix& a, int64_t columns);
// Columns of b are needed when there are no rows.
Matrix Product(const Matrix& a, const Matrix& b, int64_t columns);

// Matrix number `entry` of a batch, and all of them.
Matrix MatrixOf(const RefArray& a, int64_t entry);
int64_t CountOf(const RefArray& a);
// The leading axes of `like`, then `tail`, no elements yet; and one more matrix
// or row of numbers for it.
RefArray BatchLike(const RefArray& like, const Ints& tail);
void Append(RefArray* to, const Matrix& m);
void Append(RefArray* to, const Vector& v);

// Gauss with row exchanges; the determinant goes to *det when asked for.
Matrix SolveByElimination(Matrix a, Matrix b, double* det = nullptr);

// The column of each matrix whose largest component is negative is negated.
void MakeLargestPositive(Matrix* a, int64_t column);

// Orthonormal columns that go on from the `count` first columns of q.
void CompleteColumns(Matrix* q, int64_t count);

// a = q r, the diagonal of r not negative. q is m x m, r is m x n.
void QrByGramSchmidt(const Matrix& a, int64_t columns, Matrix* q, Matrix* r);

// Eigenvalues in ascending order, eigenvectors as columns.
void EigenByJacobi(Matrix a, Vector* values, Matrix* vectors);

// a = u diag(s) v^T with square u (m x m) and v (n x n), s descending. The
// largest component of each column of u is positive, and of v's last ones.
void SvdByJacobi(const Matrix& a, int64_t columns, Matrix* u, Vector* s,
                 Matrix* v);

}  // namespace sluice::ref
