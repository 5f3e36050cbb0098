// What the tests of optimizers share: published update rules in plain C++, and
// one run of an optimizer in each mode.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sluice/front/front_test_util.h"
#include "sluice/sluice.h"

namespace sluice::optim {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

// One element of a parameter and what is kept of it, in double.
struct Cell {
  double p = 0;
  std::map<std::string, double> slot{};
};

// One step t = 1, 2, ... of one element.
using Formula = std::function<void(Cell&, double g, int t)>;

struct Case {
  std::string name;
  std::function<std::unique_ptr<Optimizer>(const Parameters&)> with;
  std::function<std::unique_ptr<Optimizer>()> without;  // parameters
  Formula formula;
  bool row_wise = true;  // false: sparse gradients are made dense
};

template <class O>
Case MakeCase(std::string name, typename O::Options options, Formula formula,
              bool row_wise = true) {
  return {std::move(name),
          [=](const Parameters& p) { return std::make_unique<O>(p, options); },
          [=] { return std::make_unique<O>(options); }, std::move(formula),
          row_wise};
}

// Every optimizer that treats elements alike, with several sets of options.
std::vector<Case> AllCases();
// Those of them that leave rows without gradients alone.
std::vector<Case> RowWiseCases();

// A parameter and gradients that look like nothing in particular.
inline Doubles Start(int64_t n) {
  Doubles x;
  for (int64_t i = 0; i < n; ++i) x.push_back(std::sin(3.0 * i + 1));
  return x;
}
inline Doubles Gradient(int64_t n, int step) {
  Doubles x;
  for (int64_t i = 0; i < n; ++i) x.push_back(std::cos(2.0 * i + 0.7 * step));
  return x;
}

template <class T>
Array ArrayOf(const Shape& shape, const Doubles& values) {
  std::vector<T> typed(values.begin(), values.end());
  return Array::Of<T>(shape, std::span<const T>(typed));
}
template <class T>
Tensor TensorOf(const Shape& shape, const Doubles& values) {
  return Tensor(MakeRef<EagerValue>(ArrayOf<T>(shape, values)));
}

inline void ExpectNear(const Floats& got, const Doubles& wanted,
                       double tolerance = 2e-6) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], wanted[i], tolerance) << "element " << i;
  }
}

}  // namespace sluice::optim
