// Naive linear algebra in double precision for the reference functions of op
// records: elimination, Gram-Schmidt, Jacobi rotations. It does not use LAPACK,
// which it verifies. Plain functions.
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
// `columns` is that of b, needed if b has no rows.
Matrix Product(const Matrix& a, const Matrix& b, int64_t columns);

// Matrix number `entry` of a batch, and the number of matrices.
Matrix MatrixOf(const RefArray& a, int64_t entry);
int64_t CountOf(const RefArray& a);
// An array with the leading axes of `like`, then `tail`, without elements; and
// functions to append a matrix or a row of numbers.
RefArray BatchLike(const RefArray& like, const Ints& tail);
void Append(RefArray* to, const Matrix& m);
void Append(RefArray* to, const Vector& v);

// Gaussian elimination with row exchanges; sets *det if it is not null.
Matrix SolveByElimination(Matrix a, Matrix b, double* det = nullptr);

// Negates the column of each matrix if its largest component is negative.
void MakeLargestPositive(Matrix* a, int64_t column);

// Extends the first `count` columns of q by orthonormal columns.
void CompleteColumns(Matrix* q, int64_t count);

// a = q r, with a nonnegative diagonal of r. q is m x m, r is m x n.
void QrByGramSchmidt(const Matrix& a, int64_t columns, Matrix* q, Matrix* r);

// Eigenvalues in ascending order, eigenvectors as columns.
void EigenByJacobi(Matrix a, Vector* values, Matrix* vectors);

// a = u diag(s) v^T with square u (m x m) and v (n x n), s descending. The
// largest component is positive in each column of u and in the last columns of
// v.
void SvdByJacobi(const Matrix& a, int64_t columns, Matrix* u, Vector* s,
                 Matrix* v);

}  // namespace sluice::ref
