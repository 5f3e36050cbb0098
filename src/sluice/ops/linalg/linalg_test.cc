// Tests decompositions, which the sweep cannot because they are not unique: the
// factors multiply to the matrix, and have the properties they claim.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sluice/kernels/cpu/matrix_batch.h"
#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"
#include "sluice/ops/linalg/matrix_samples.h"

namespace sluice {
namespace {

class LinearAlgebra : public testing::Test {
 protected:
  void SetUp() override {
    if (!FindLapack()) GTEST_SKIP() << "no LAPACK here";
  }
};

std::vector<Array> Call(const char* op, const std::vector<Array>& in,
                        const Attrs& attrs = {}) {
  auto out = RunOp(*FindOp(op), attrs, in);
  EXPECT_TRUE(out.ok()) << out.status().ToString();
  return out.ok() ? *out : std::vector<Array>();
}

// Row-major products of f64 matrices.
struct Matrix {
  int64_t m, n;
  std::vector<double> v;
  Matrix(int64_t rows, int64_t columns)
      : m(rows), n(columns), v(static_cast<size_t>(m * n)) {}
  explicit Matrix(const Array& a) : Matrix(a.dim(0), a.dim(1)) {
    std::copy_n(a.data<double>(), a.num_elements(), v.begin());
  }
  double& at(int64_t i, int64_t j) { return v[static_cast<size_t>(i * n + j)]; }
  double at(int64_t i, int64_t j) const {
    return v[static_cast<size_t>(i * n + j)];
  }
  Matrix T() const {
    Matrix t(n, m);
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) t.at(j, i) = at(i, j);
    }
    return t;
  }
};
Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix y(a.m, b.n);
  for (int64_t i = 0; i < a.m; ++i) {
    for (int64_t j = 0; j < b.n; ++j) {
      for (int64_t k = 0; k < a.n; ++k) y.at(i, j) += a.at(i, k) * b.at(k, j);
    }
  }
  return y;
}
void ExpectNear(const Matrix& a, const Matrix& b, double bound = 1e-10) {
  ASSERT_EQ(a.v.size(), b.v.size());
  for (size_t i = 0; i < a.v.size(); ++i) ASSERT_NEAR(a.v[i], b.v[i], bound);
}
Matrix Unit(int64_t n) {
  Matrix u(n, n);
  for (int64_t i = 0; i < n; ++i) u.at(i, i) = 1;
  return u;
}

Array Some(int64_t m, int64_t n) {
  return SquareMatrices(DType::kF64, Shape{m, n});
}

TEST_F(LinearAlgebra, SingularVectorsOfEveryShape) {
  for (auto [m, n] : {std::pair<int64_t, int64_t>{40, 25},
                      {25, 40},
                      {30, 30},
                      {70, 2},
                      {1, 9}}) {
    Array x = Some(m, n);
    for (bool full : {false, true}) {
      auto out = Call("Svd", {x}, {{"full_matrices", full}});
      Matrix u(out[0]), vt(out[2]), s(u.n, vt.m);
      for (int64_t i = 0; i < std::min(m, n); ++i) {
        s.at(i, i) = out[1].data<double>()[i];
        EXPECT_GE(s.at(i, i), 0);
        if (i > 0) {
          EXPECT_LE(s.at(i, i), s.at(i - 1, i - 1));
        }
      }
      ExpectNear(u * s * vt, Matrix(x));
      ExpectNear(u.T() * u, Unit(u.n));
      ExpectNear(vt * vt.T(), Unit(vt.m));
    }
  }
}

TEST_F(LinearAlgebra, MatricesOfNoFullRank) {
  // Two columns, each six times.
  Array x = Array::Zeros(DType::kF64, {20, 12});
  for (int64_t i = 0; i < 20; ++i) {
    for (int64_t j = 0; j < 12; ++j) {
      x.mutable_data<double>()[i * 12 + j] =
          j % 2 ? std::cos(double(i)) : double(i);
    }
  }
  auto svd = Call("Svd", {x});
  EXPECT_GT(svd[1].data<double>()[1], 1);
  EXPECT_LT(svd[1].data<double>()[2], 1e-10);
  auto qr = Call("Qr", {x});
  ExpectNear(Matrix(qr[0]) * Matrix(qr[1]), Matrix(x));
  ExpectNear(Matrix(qr[0]).T() * Matrix(qr[0]), Unit(12));
  Matrix p(Call("Pinv", {x})[0]), a(x);
  ExpectNear(a * p * a, a);
  ExpectNear(p * a * p, p);
  ExpectNear(a * p, (a * p).T());
  auto zero = Call("Eigh", {Array::Zeros(DType::kF64, {5, 5})});
  ExpectNear(Matrix(zero[1]).T() * Matrix(zero[1]), Unit(5));
}

TEST_F(LinearAlgebra, FullQr) {
  Array x = Some(30, 7);
  auto out = Call("Qr", {x}, {{"full", true}});
  ExpectNear(Matrix(out[0]) * Matrix(out[1]), Matrix(x));
  ExpectNear(Matrix(out[0]).T() * Matrix(out[0]), Unit(30));
}

TEST_F(LinearAlgebra, Eigenvectors) {
  Array x = PositiveMatrices(DType::kF64, {50, 50});
  auto out = Call("Eigh", {x});
  Matrix v(out[1]), w(50, 50);
  for (int64_t i = 0; i < 50; ++i) w.at(i, i) = out[0].data<double>()[i];
  ExpectNear(v * w * v.T(), Matrix(x));
}

TEST_F(LinearAlgebra, RowsInTheOrderOfLu) {
  Array x = Some(60, 45);
  auto out = Call("Lu", {x});
  Matrix lu(out[0]), l(60, 45), u(45, 45), permuted(60, 45), a(x);
  for (int64_t i = 0; i < 60; ++i) {
    for (int64_t j = 0; j < 45; ++j) {
      (i <= j ? u.at(std::min<int64_t>(i, 44), j) : l.at(i, j)) = lu.at(i, j);
      permuted.at(i, j) = a.at(out[1].data<int64_t>()[i], j);
    }
    if (i < 45) l.at(i, i) = 1;
  }
  ExpectNear(l * u, permuted);
}

// NaN and infinity anywhere: an error or some result, never a crash or a loop.
TEST_F(LinearAlgebra, NotFiniteIsSurvived) {
  for (double bad : {std::nan(""), double(INFINITY), -double(INFINITY)}) {
    for (int64_t at : {0, 7, 35}) {
      Array x = PositiveMatrices(DType::kF64, {6, 6});
      x.mutable_data<double>()[at] = bad;
      for (const char* op : {"Inverse", "Det", "LogDet", "Cholesky", "Qr", "Lu",
                             "Svd", "Pinv", "Eigh"}) {
        auto out = RunOp(*FindOp(op), {}, std::vector<Array>{x});
        EXPECT_TRUE(out.ok() || !out.status().message().empty());
        if (op == std::string("Svd") || op == std::string("Pinv")) {
          EXPECT_FALSE(out.ok()) << op;
        }
      }
      for (const char* op :
           {"Solve", "TriangularSolve", "CholeskySolve", "LeastSquares"}) {
        std::vector<Array> in = {x, Some(6, 3)};
        auto out = RunOp(*FindOp(op), {}, in);
        EXPECT_TRUE(out.ok() || !out.status().message().empty());
        std::swap(in[0], in[1]);
        in[0] = PositiveMatrices(DType::kF64, {6, 6});
        out = RunOp(*FindOp(op), {}, in);
        EXPECT_TRUE(out.ok() || !out.status().message().empty());
      }
      auto out =
          RunOp(*FindOp("MatrixPower"), {{"n", 3}}, std::vector<Array>{x});
      EXPECT_TRUE(out.ok());
    }
  }
}

// Of several matrices that fail in several chunks, the first is named.
TEST_F(LinearAlgebra, TheFirstBadMatrixIsNamed) {
  Array x = PositiveMatrices(DType::kF64, {40, 8, 30, 30});
  for (int64_t entry : {319, 200, 77, 78}) {
    std::fill_n(x.mutable_data<double>() + entry * 900, 900, 0.0);
  }
  WorkerPool pool(3);
  StepContext step;
  step.pool = &pool;
  for (int round = 0; round < 20; ++round) {
    auto out = RunOp(*FindOp("Inverse"), {}, std::vector<Array>{x}, &step);
    ASSERT_FALSE(out.ok());
    EXPECT_EQ(out.status().message(),
              "[Inverse] x[9,5] is singular; wanted a matrix that has an "
              "inverse");
  }
}

TEST(Lapack, LibrariesThatAreNone) {
  Lapack lapack;
  EXPECT_FALSE(OpenLapack("libnothing-of-this-name.so", &lapack));
  EXPECT_FALSE(OpenLapack("libm.so.6", &lapack));
}

}  // namespace
}  // namespace sluice
