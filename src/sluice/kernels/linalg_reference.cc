#include "sluice/kernels/linalg_reference.h"

#include <algorithm>
#include <cmath>

namespace sluice::ref {

namespace {

size_t Size(int64_t n) { return static_cast<size_t>(n); }

double Dot(const Matrix& a, size_t i, const Matrix& b, size_t j) {
  double sum = 0;
  for (size_t k = 0; k < a.size(); ++k) sum += a[k][i] * b[k][j];
  return sum;
}

// Columns i and j turned by an angle of cosine c and sine s.
void Rotate(Matrix* a, size_t i, size_t j, double c, double s) {
  for (auto& row : *a) {
    double x = row[i], y = row[j];
    row[i] = c * x - s * y;
    row[j] = s * x + c * y;
  }
}

// The rotation angle that makes [p g; g q] diagonal.
void Angle(double p, double q, double g, double* c, double* s) {
  double zeta = (q - p) / (2 * g);
  double t =
      (zeta < 0 ? -1.0 : 1.0) / (std::fabs(zeta) + std::sqrt(1 + zeta * zeta));
  *c = 1 / std::sqrt(1 + t * t);
  *s = *c * t;
}

constexpr int kSweeps = 60;

}  // namespace

Matrix Zeros(int64_t rows, int64_t columns) {
  return Matrix(Size(rows), Vector(Size(columns), 0.0));
}

Matrix Unit(int64_t n) {
  Matrix a = Zeros(n, n);
  for (size_t i = 0; i < a.size(); ++i) a[i][i] = 1;
  return a;
}

Matrix Transposed(const Matrix& a, int64_t columns) {
  Matrix t = Zeros(columns, static_cast<int64_t>(a.size()));
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < t.size(); ++j) t[j][i] = a[i][j];
  }
  return t;
}

Matrix Product(const Matrix& a, const Matrix& b, int64_t columns) {
  Matrix y = Zeros(static_cast<int64_t>(a.size()), columns);
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < Size(columns); ++j) {
      for (size_t k = 0; k < b.size(); ++k) y[i][j] += a[i][k] * b[k][j];
    }
  }
  return y;
}

Matrix MatrixOf(const RefArray& a, int64_t entry) {
  int64_t m = a.shape.dim(a.shape.rank() - 2);
  int64_t n = a.shape.dim(a.shape.rank() - 1);
  Matrix out = Zeros(m, n);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      out[Size(i)][Size(j)] = a.v[Size((entry * m + i) * n + j)];
    }
  }
  return out;
}

int64_t CountOf(const RefArray& a) {
  int64_t count = 1;
  for (int i = 0; i < a.shape.rank() - 2; ++i) count *= a.shape.dim(i);
  return count;
}

RefArray BatchLike(const RefArray& like, const Ints& tail) {
  Ints dims = DimsOf(like.shape);
  dims.resize(dims.size() - 2);
  dims.insert(dims.end(), tail.begin(), tail.end());
  return {MakeShape(dims), {}};
}

void Append(RefArray* to, const Matrix& m) {
  for (const Vector& row : m) Append(to, row);
}

void Append(RefArray* to, const Vector& v) {
  to->v.insert(to->v.end(), v.begin(), v.end());
}

Matrix SolveByElimination(Matrix a, Matrix b, double* det) {
  size_t n = a.size();
  double product = 1;
  for (size_t k = 0; k < n; ++k) {
    size_t best = k;
    for (size_t i = k; i < n; ++i) {
      if (std::fabs(a[i][k]) > std::fabs(a[best][k])) best = i;
    }
    if (best != k) product = -product;
    std::swap(a[k], a[best]);
    std::swap(b[k], b[best]);
    product *= a[k][k];
    for (size_t i = 0; i < n && a[k][k] != 0; ++i) {
      if (i == k) continue;
      double f = a[i][k] / a[k][k];
      for (size_t j = k; j < n; ++j) a[i][j] -= f * a[k][j];
      for (size_t j = 0; j < b[i].size(); ++j) b[i][j] -= f * b[k][j];
    }
  }
  for (size_t k = 0; k < n; ++k) {
    for (double& v : b[k]) v /= a[k][k];
  }
  if (det) *det = product;
  return b;
}

void MakeLargestPositive(Matrix* a, int64_t column) {
  size_t j = Size(column), best = 0;
  for (size_t i = 0; i < a->size(); ++i) {
    if (std::fabs((*a)[i][j]) > std::fabs((*a)[best][j])) best = i;
  }
  if (a->empty() || (*a)[best][j] >= 0) return;
  for (auto& row : *a) row[j] = -row[j];
}

void CompleteColumns(Matrix* q, int64_t count) {
  size_t n = q->size();
  for (size_t k = Size(count); k < n; ++k) {
    // The unit vector that is furthest from the span of the others.
    size_t best = 0;
    double least = 2;
    for (size_t i = 0; i < n; ++i) {
      double norm = 0;
      for (size_t j = 0; j < k; ++j) norm += (*q)[i][j] * (*q)[i][j];
      if (norm < least) least = norm, best = i;
    }
    for (size_t i = 0; i < n; ++i) (*q)[i][k] = i == best;
    for (int again = 0; again < 2; ++again) {
      for (size_t j = 0; j < k; ++j) {
        double d = Dot(*q, j, *q, k);
        for (auto& row : *q) row[k] -= d * row[j];
      }
    }
    double norm = std::sqrt(Dot(*q, k, *q, k));
    for (auto& row : *q) row[k] /= norm;
  }
}

void QrByGramSchmidt(const Matrix& a, int64_t columns, Matrix* q, Matrix* r) {
  auto m = static_cast<int64_t>(a.size());
  size_t k = Size(std::min(m, columns));
  *q = Zeros(m, m);
  for (size_t j = 0; j < k; ++j) {
    for (size_t i = 0; i < a.size(); ++i) (*q)[i][j] = a[i][j];
    for (int again = 0; again < 2; ++again) {
      for (size_t p = 0; p < j; ++p) {
        double d = Dot(*q, p, *q, j);
        for (auto& row : *q) row[j] -= d * row[p];
      }
    }
    double norm = std::sqrt(Dot(*q, j, *q, j));
    for (auto& row : *q) row[j] /= norm;
  }
  CompleteColumns(q, static_cast<int64_t>(k));
  for (int64_t j = static_cast<int64_t>(k); j < m; ++j) {
    MakeLargestPositive(q, j);
  }
  *r = Product(Transposed(*q, m), a, columns);
  for (size_t i = 0; i < r->size(); ++i) {
    for (size_t j = 0; j < i && j < Size(columns); ++j) (*r)[i][j] = 0;
  }
}

void EigenByJacobi(Matrix a, Vector* values, Matrix* vectors) {
  size_t n = a.size();
  Matrix v = Unit(static_cast<int64_t>(n));
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = i + 1; j < n; ++j) {
        if (a[i][j] == 0) continue;
        double c, s;
        Angle(a[i][i], a[j][j], a[i][j], &c, &s);
        Rotate(&a, i, j, c, s);
        a = Transposed(a, static_cast<int64_t>(n));
        Rotate(&a, i, j, c, s);
        a[i][j] = a[j][i] = 0;
        Rotate(&v, i, j, c, s);
      }
    }
  }
  std::vector<size_t> order(n);
  for (size_t i = 0; i < n; ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](size_t i, size_t j) { return a[i][i] < a[j][j]; });
  values->clear();
  *vectors = v;
  for (size_t k = 0; k < n; ++k) {
    values->push_back(a[order[k]][order[k]]);
    for (size_t i = 0; i < n; ++i) (*vectors)[i][k] = v[i][order[k]];
  }
}

void SvdByJacobi(const Matrix& a, int64_t columns, Matrix* u, Vector* s,
                 Matrix* v) {
  auto m = static_cast<int64_t>(a.size());
  if (m < columns) {
    SvdByJacobi(Transposed(a, columns), m, v, s, u);
  } else {
    // Columns of a are turned until they are orthogonal.
    Matrix w = a, turns = Unit(columns);
    size_t n = Size(columns);
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      for (size_t i = 0; i < n; ++i) {
        for (size_t j = i + 1; j < n; ++j) {
          double g = Dot(w, i, w, j);
          if (g == 0) continue;
          double c, t;
          Angle(Dot(w, i, w, i), Dot(w, j, w, j), g, &c, &t);
          Rotate(&w, i, j, c, t);
          Rotate(&turns, i, j, c, t);
        }
      }
    }
    std::vector<size_t> order(n);
    for (size_t i = 0; i < n; ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](size_t i, size_t j) {
      return Dot(w, i, w, i) > Dot(w, j, w, j);
    });
    *u = Zeros(m, m);
    *v = Zeros(columns, columns);
    s->clear();
    for (size_t k = 0; k < n; ++k) {
      double norm = std::sqrt(Dot(w, order[k], w, order[k]));
      s->push_back(norm);
      for (size_t i = 0; i < w.size(); ++i) {
        (*u)[i][k] = norm > 0 ? w[i][order[k]] / norm : 0;
      }
      for (size_t i = 0; i < n; ++i) (*v)[i][k] = turns[i][order[k]];
    }
    CompleteColumns(u, columns);
  }
  // Signs last: u decides for pairs, the others for themselves.
  for (int64_t k = 0; k < m; ++k) {
    Matrix before = *u;
    MakeLargestPositive(u, k);
    bool turned = !u->empty() && before != *u;
    if (turned && k < columns) {
      for (auto& row : *v) row[Size(k)] = -row[Size(k)];
    }
  }
  for (int64_t k = m; k < columns; ++k) MakeLargestPositive(v, k);
}

}  // namespace sluice::ref
