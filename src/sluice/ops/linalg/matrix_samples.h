// Matrices for the samples of linear algebra ops: fixed numbers, not too close
// to singular, so that results can be compared to many digits.
#pragma once

#include <vector>

#include "sluice/base/random.h"
#include "sluice/kernels/cpu/matrix_batch.h"
#include "sluice/op/sample.h"

namespace sluice {

namespace matrix_samples_internal {

inline double Number(int64_t i) {
  uint64_t bits = RandomKey::Mix(static_cast<uint64_t>(i) + 77);
  return static_cast<double>(bits >> 11) * 0x1p-52 - 1;
}

template <class F>
Array Make(DType dtype, const Shape& shape, F&& element) {
  Array a = Array::Zeros(dtype, shape);
  int64_t m = shape.dim(shape.rank() - 2), n = shape.dim(shape.rank() - 1);
  for (int64_t at = 0; at < a.num_elements(); ++at) {
    int64_t i = at / n % m, j = at % n;
    double v = element(at, i, j, at - i * n - j);
    if (dtype == DType::kF64) {
      a.mutable_data<double>()[at] = v;
    } else {
      a.mutable_data<float>()[at] = static_cast<float>(v);
    }
  }
  return a;
}

}  // namespace matrix_samples_internal

// Diagonally heavy matrices, some diagonal elements negative.
inline Array SquareMatrices(DType dtype, const Shape& shape) {
  using matrix_samples_internal::Number;
  auto n = static_cast<double>(shape.dim(shape.rank() - 1));
  return matrix_samples_internal::Make(
      dtype, shape, [&](int64_t at, int64_t i, int64_t j, int64_t) {
        return Number(at) + (i == j ? (i % 3 == 1 ? -0.6 : 0.6) * n : 0);
      });
}

// Symmetric positive definite matrices.
inline Array PositiveMatrices(DType dtype, const Shape& shape) {
  using matrix_samples_internal::Number;
  auto n = static_cast<double>(shape.dim(shape.rank() - 1));
  return matrix_samples_internal::Make(
      dtype, shape, [&](int64_t, int64_t i, int64_t j, int64_t first) {
        int64_t low = i < j ? i : j, high = i < j ? j : i;
        return Number(first + 1000 * high + low) + (i == j ? n : 0);
      });
}

// One sample per shape and type; `rest` are the shapes of further inputs with
// random numbers.
struct MatrixCase {
  Shape shape;
  std::vector<Shape> rest{};
  Attrs attrs{};
};
inline std::vector<Sample> MatrixSamples(Array (*make)(DType, const Shape&),
                                         const std::vector<MatrixCase>& cases) {
  std::vector<Sample> out;
  for (const MatrixCase& c : cases) {
    for (DType dtype : {DType::kF32, DType::kF64}) {
      Sample sample{.in = {make(dtype, c.shape)}, .attrs = c.attrs};
      for (const Shape& shape : c.rest) sample.in.emplace_back(shape);
      out.push_back(std::move(sample));
    }
  }
  return out;
}

// Shapes that reach every path of a kernel for square matrices.
inline std::vector<MatrixCase> SquareCases() {
  return {{{1, 1}},    {{3, 3}},    {{2, 4, 4}},      {{70, 70}},  {{0, 0}},
          {{2, 0, 0}}, {{0, 3, 3}}, {{3, 2, 20, 20}}, {{90, 2, 2}}};
}

}  // namespace sluice
