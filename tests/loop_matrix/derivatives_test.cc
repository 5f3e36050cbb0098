// Gradients of every kind of control flow crossed with all that is used inside
// it, to second order, in all the ways there are, against differences.
#include <algorithm>
#include <cmath>

#include "tests/loop_matrix/ways.h"

namespace sluice::loop_matrix {
namespace {

void ExpectNear(const Arrays& got, const Arrays& want, double tolerance,
                const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].shape(), want[i].shape()) << what << ", argument " << i;
    std::vector<double> a = Elements<double>(got[i]),
                        b = Elements<double>(want[i]);
    double off = 0;
    for (size_t k = 0; k < a.size(); ++k) {
      off = std::max(off, std::abs(a[k] - b[k]) / (1 + std::abs(b[k])));
    }
    EXPECT_LE(off, tolerance)
        << what << ", argument " << i << ": got " << got[i].ToString()
        << "\nwanted " << want[i].ToString();
  }
}

void ExpectSameBits(const Arrays& got, const Arrays& want,
                    const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(got[i].BitEquals(want[i]))
        << what << ", argument " << i << ": got " << got[i].ToString()
        << "\nwanted " << want[i].ToString();
  }
}

// The point moved by `step` along a direction.
Arrays Moved(const Arrays& at, const Arrays& direction, double step) {
  Arrays moved;
  for (size_t i = 0; i < at.size(); ++i) {
    moved.push_back(*at[i].Clone());
    for (int64_t k = 0; k < at[i].num_elements(); ++k) {
      moved[i].mutable_data<double>()[k] +=
          step * direction[i].data<double>()[k];
    }
  }
  return moved;
}

constexpr double kStep = 1e-5;

Arrays Zeros(const Arrays& like) {
  Arrays zeros;
  for (const Array& a : like) {
    zeros.push_back(Array::Zeros(DType::kF64, a.shape()));
  }
  return zeros;
}

// The gradient by differences of values.
Arrays FirstByDifferences(const Way& way, const Arrays& at) {
  Arrays gradient = Zeros(at);
  for (size_t i = 0; i < at.size(); ++i) {
    for (int64_t k = 0; k < at[i].num_elements(); ++k) {
      Arrays along = Zeros(at);
      along[i].mutable_data<double>()[k] = 1;
      auto value = [&](double step) {
        return *way.at(Moved(at, along, step), Order::kFirst)
                    .value.data<double>();
      };
      gradient[i].mutable_data<double>()[k] =
          (value(kStep) - value(-kStep)) / (2 * kStep);
    }
  }
  return gradient;
}

// The second derivative along Direction() by differences of gradients.
Arrays SecondByDifferences(const Way& way, const Arrays& at) {
  Arrays more = way.at(Moved(at, Direction(), kStep), Order::kFirst).first;
  Arrays less = way.at(Moved(at, Direction(), -kStep), Order::kFirst).first;
  Arrays second = Zeros(at);
  for (size_t i = 0; i < at.size(); ++i) {
    std::vector<double> a = Elements<double>(more[i]),
                        b = Elements<double>(less[i]);
    for (size_t k = 0; k < a.size(); ++k) {
      second[i].mutable_data<double>()[k] = (a[k] - b[k]) / (2 * kStep);
    }
  }
  return second;
}

Derivatives CheckByDifferences(const Way& way, const Arrays& at,
                               Order order = Order::kSecond) {
  Derivatives d = way.at(at, order);
  ExpectNear(d.first, FirstByDifferences(way, at), 1e-8, way.name + ", first");
  if (order == Order::kFirst) return d;
  Arrays second = SecondByDifferences(way, at);
  ExpectNear(d.second, second, 1e-7, way.name + ", second");
  if (!d.hvp.empty()) ExpectNear(d.hvp, second, 1e-7, way.name + ", hvp");
  return d;
}

class LoopMatrix : public testing::TestWithParam<Cell> {
 protected:
  const Cell& cell = GetParam();
};

TEST_P(LoopMatrix, HasTheDerivativesThatDifferencesGive) {
  for (const Arrays& at : Points()) {
    Derivatives imperative = CheckByDifferences(Imperative(cell), at);
    for (const Way& way : {CapturedFromOutside(cell), CapturedFromInside(cell),
                           Deferred(MakeProgram(cell, {}))}) {
      // A captured function is differentiated twice by running its code again.
      Order here = cell.draws() && way.name == "captured" ? Order::kFirst
                                                          : Order::kSecond;
      Derivatives found = CheckByDifferences(way, at, here);
      // Graphs draw other numbers than the imperative run, and captured
      // functions may not count.
      if (cell.draws() || (cell.uses_variables() && !way.counts)) continue;
      ExpectNear(found.first, imperative.first, 1e-12, way.name + ", first");
      ExpectNear(found.second, imperative.second, 1e-12, way.name + ", second");
    }
  }
}

// Executor, threads and iterations at once change no bit.
TEST_P(LoopMatrix, HasTheSameDerivativesToTheBitHoweverItRuns) {
  using enum ExecutorChoice;
  for (bool known : {true, false}) {
    std::shared_ptr<Program> program =
        MakeProgram(cell, {.hvp = false, .shapes_known = known});
    std::vector<Derivatives> want;
    for (const Arrays& at : Points()) {
      want.push_back(Interpreted(program).at(at, Order::kSecond));
    }
    std::vector<GraphOptions> ways = {{.executor = kTape, .threads = 1}};
    if (known) {
      ways.push_back({.executor = kTokens, .threads = 1, .parallel = 1});
      ways.push_back({.executor = kTokens, .threads = 2, .parallel = 4});
      ways.push_back({.executor = kTokens, .threads = 4, .parallel = 32});
    }
    for (const GraphOptions& how : ways) {
      Way way = Deferred(program, how);
      if (!known) way.name += ", shapes unknown";
      for (size_t i = 0; i < want.size(); ++i) {
        Derivatives got = way.at(Points()[i], Order::kSecond);
        ExpectSameBits({got.value}, {want[i].value}, way.name + ", value");
        ExpectSameBits(got.first, want[i].first, way.name + ", first");
        ExpectSameBits(got.second, want[i].second, way.name + ", second");
      }
    }
  }
}

// Values are equal to the bit; of gradients the order of sums may differ, by a
// rounding each.
TEST_P(LoopMatrix, IsWhatItGivesWrittenOut) {
  if (cell.draws()) GTEST_SKIP() << "written out, it draws other numbers";
  for (const Arrays& at : Points()) {
    bool positive = at[0].data<double>()[0] > 0;
    Derivatives want = Imperative(cell, true, positive).at(at, Order::kSecond);
    std::vector<Way> ways = {Imperative(cell), Deferred(MakeProgram(cell, {}))};
    if (!cell.uses_variables()) {
      // Outside of loops nothing runs that is not asked for.
      ways.push_back(Deferred(
          MakeProgram(cell, {.written_out = true, .positive = positive})));
      ways.back().name += ", written out";
    }
    for (const Way& way : ways) {
      Derivatives got = way.at(at, Order::kSecond);
      ExpectSameBits({got.value}, {want.value}, way.name + ", value");
      ExpectNear(got.first, want.first, 1e-14, way.name + ", first");
      ExpectNear(got.second, want.second, 1e-13, way.name + ", second");
      ExpectNear(got.hvp, want.hvp, 1e-13, way.name + ", hvp");
    }
  }
}

// What loops keep for their gradient changes no more than roundings.
TEST_P(LoopMatrix, HasTheSameDerivativesWhateverLoopsKeep) {
  if (cell.kind.name == "cond" || cell.kind.name == "recursion") {
    GTEST_SKIP() << "has no loop";
  }
  const Arrays at = Points()[0];
  // Iterations that run again must not count.
  Derivatives want =
      Deferred(MakeProgram(cell, {.hvp = false, .counts = false}))
          .at(at, Order::kSecond);
  for (const Save& save : {Save("recompute"), budget("1MiB")}) {
    Derivatives got =
        Deferred(
            MakeProgram(cell, {.hvp = false, .counts = false, .save = save}))
            .at(at, Order::kSecond);
    ExpectSameBits({got.value}, {want.value}, save.how() + ", value");
    ExpectNear(got.first, want.first, 1e-14, save.how() + ", first");
    ExpectNear(got.second, want.second, 1e-13, save.how() + ", second");
  }
}

INSTANTIATE_TEST_SUITE_P(Cells, LoopMatrix, testing::ValuesIn(AllCells()),
                         [](const auto& info) { return info.param.name(); });

}  // namespace
}  // namespace sluice::loop_matrix
