// Tests random ops by their statistics. Seeds are fixed, so a test that passes
// once always passes; bounds are about five standard deviations wide.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Array Draw(const char* op, const std::vector<Array>& in, const Attrs& attrs,
           uint64_t seed = 11) {
  StepContext step;
  step.seed = seed;
  auto out = RunOp(*FindOp(op), attrs, in, &step);
  EXPECT_TRUE(out.ok()) << out.status().ToString();
  return out.ok() ? (*out)[0] : Array();
}

template <class T>
std::vector<double> Values(const Array& a) {
  std::vector<double> v;
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    v.push_back(static_cast<double>(a.data<T>()[i]));
  }
  return v;
}

struct Moments {
  double mean = 0, variance = 0, low = 1e300, high = -1e300;
  explicit Moments(const std::vector<double>& v) {
    auto n = static_cast<double>(v.size());
    for (double x : v) mean += x / n;
    for (double x : v) {
      variance += (x - mean) * (x - mean) / n;
      low = std::min(low, x);
      high = std::max(high, x);
    }
  }
};

template <class T>
Array Full(int64_t n, T value) {
  Array a = Array::Zeros(DTypeOf<T>::value, {n});
  std::fill_n(a.mutable_data<T>(), n, value);
  return a;
}

constexpr int64_t kMany = 200000;

TEST(RandomOps, TruncatedNormalStaysInside) {
  for (DType dtype : {DType::kF32, DType::kF64, DType::kF16, DType::kBF16}) {
    Array y = Draw("TruncatedNormal", {},
                   {{"shape", Shape{kMany}}, {"dtype", dtype}});
    DispatchFloats(dtype, [&]<class T>() {
      Moments m(Values<T>(y));
      EXPECT_GE(m.low, -2);
      EXPECT_LE(m.high, 2);
      EXPECT_LT(m.low, -1.98);
      EXPECT_GT(m.high, 1.98);
      EXPECT_NEAR(m.mean, 0, 0.01);
      EXPECT_NEAR(m.variance, 0.7737, 0.01);  // of the normal cut at two
    });
  }
}

TEST(RandomOps, KeyedNumbersDependOnTheKeyAlone) {
  Attrs attrs{{"shape", Shape{kMany}}};
  Array y = Draw("KeyedUniform", {Array::Scalar<int64_t>(5)}, attrs);
  Moments m(Values<float>(y));
  EXPECT_GE(m.low, 0);
  EXPECT_LT(m.high, 1);
  EXPECT_NEAR(m.mean, 0.5, 0.005);
  EXPECT_NEAR(m.variance, 1.0 / 12, 0.002);
  // Neither the session's seed nor the step matters; the key and the op's seed
  // do, and for a vector so does the order.
  Array same = Draw("KeyedUniform", {Array::Scalar<int64_t>(5)}, attrs, 99);
  EXPECT_TRUE(y.BitEquals(same));
  attrs = {{"shape", Shape{8}}};
  auto first = [&](const Array& key) {
    return Values<float>(Draw("KeyedUniform", {key}, attrs))[0];
  };
  std::vector<double> seen = {first(Array::Scalar<int64_t>(5)),
                              first(Array::Scalar<int64_t>(6)),
                              first(Array::Vector<int64_t>({1, 2})),
                              first(Array::Vector<int64_t>({2, 1})),
                              first(Array::Vector<int64_t>({1, 2, 0}))};
  attrs.set("seed", 1);
  seen.push_back(first(Array::Scalar<int64_t>(5)));
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end());
}

TEST(RandomOps, IntegersAreEquallyLikely) {
  Array y =
      Draw("RandomInt", {}, {{"shape", Shape{kMany}}, {"lo", -3}, {"hi", 7}});
  std::map<double, int> counts;
  for (double v : Values<int64_t>(y)) ++counts[v];
  EXPECT_EQ(counts.size(), 10u);
  EXPECT_EQ(counts.begin()->first, -3);
  EXPECT_EQ(counts.rbegin()->first, 6);
  for (const auto& [value, count] : counts) EXPECT_NEAR(count, 20000, 700);
}

// Bounds of 3/4 and 3/8 of all words: without draws that are drawn again, every
// third number would be more likely than its neighbours.
TEST(RandomOps, IntegersOfWideRangesAreUnbiased) {
  for (int64_t bound : {int64_t{3} << 30, int64_t{3} << 61}) {
    Array y = Draw("RandomInt", {}, {{"shape", Shape{kMany}}, {"hi", bound}});
    int64_t thirds[3] = {};
    for (int64_t i = 0; i < kMany; ++i) {
      int64_t v = y.data<int64_t>()[i];
      ASSERT_GE(v, 0);
      ASSERT_LT(v, bound);
      ++thirds[v % 3];
    }
    for (int64_t count : thirds) {
      EXPECT_NEAR(static_cast<double>(count), kMany / 3.0, 1100);
    }
  }
}

TEST(RandomOps, IntegersCoverTheWholeType) {
  Array y =
      Draw("RandomInt", {},
           {{"shape", Shape{4000}}, {"lo", INT64_MIN}, {"hi", INT64_MAX}});
  Moments m(Values<int64_t>(y));
  EXPECT_LT(m.low, -9.2e18);
  EXPECT_GT(m.high, 9.2e18);
}

TEST(RandomOps, BernoulliHitsAsOftenAsItSays) {
  for (float p : {0.0f, 0.1f, 0.5f, 0.93f, 1.0f}) {
    Moments m(Values<float>(Draw("Bernoulli", {Full<float>(kMany, p)}, {})));
    EXPECT_NEAR(m.mean, p, p == 0 || p == 1 ? 1e-9 : 0.006);
    EXPECT_NEAR(m.variance, p * (1 - p), 0.01);
  }
}

TEST(RandomOps, ExponentialHasItsMoments) {
  for (DType dtype : {DType::kF32, DType::kF64, DType::kF16, DType::kBF16}) {
    Array y = Draw("RandomExponential", {},
                   {{"shape", Shape{kMany}}, {"dtype", dtype}});
    DispatchFloats(dtype, [&]<class T>() {
      Moments m(Values<T>(y));
      EXPECT_GE(m.low, 0);
      EXPECT_GT(m.high, 9);
      EXPECT_NEAR(m.mean, 1, 0.015);
      EXPECT_NEAR(m.variance, 1, 0.04);
    });
  }
}

TEST(RandomOps, GammaHasItsMoments) {
  for (double alpha : {0.3, 1.0, 2.5, 40.0}) {
    Moments m(
        Values<double>(Draw("RandomGamma", {Full<double>(kMany, alpha)}, {})));
    EXPECT_GE(m.low, 0);
    EXPECT_NEAR(m.mean, alpha, 0.012 * std::sqrt(alpha));
    EXPECT_NEAR(m.variance, alpha, 0.04 * std::max(alpha, std::sqrt(alpha)));
  }
}

TEST(RandomOps, PoissonHasItsMomentsAndZeros) {
  for (double rate : {0.0, 0.7, 9.5, 10.5, 300.0}) {
    std::vector<double> v =
        Values<double>(Draw("RandomPoisson", {Full<double>(kMany, rate)}, {}));
    Moments m(v);
    EXPECT_GE(m.low, 0);
    EXPECT_NEAR(m.mean, rate, 0.012 * std::sqrt(rate) + 1e-12);
    EXPECT_NEAR(m.variance, rate, 0.03 * rate + 1e-12);
    for (double x : v) ASSERT_EQ(x, std::floor(x));
    auto zeros = static_cast<double>(std::count(v.begin(), v.end(), 0.0));
    EXPECT_NEAR(zeros / kMany, std::exp(-rate), 0.006);
  }
}

TEST(RandomOps, CategoricalFollowsItsWeights) {
  Array logits =
      Array::Of<float>({2, 4}, {std::log(1.0f), std::log(2.0f), -INFINITY,
                                std::log(5.0f), 900, 900, 900, 0});
  Array y = Draw("Categorical", {logits}, {{"num_samples", kMany}});
  double want[2][4] = {{0.125, 0.25, 0, 0.625}, {1.0 / 3, 1.0 / 3, 1.0 / 3, 0}};
  for (int64_t r = 0; r < 2; ++r) {
    double counts[4] = {};
    for (int64_t s = 0; s < kMany; ++s) {
      int64_t v = y.data<int64_t>()[r * kMany + s];
      ASSERT_TRUE(v >= 0 && v < 4);
      counts[v] += 1.0 / kMany;
    }
    for (int i = 0; i < 4; ++i) {
      EXPECT_NEAR(counts[i], want[r][i], want[r][i] == 0 ? 0 : 0.006);
    }
  }
}

TEST(RandomOps, MultinomialWithoutReplacementDrawsEachOnce) {
  Array p = Array::Zeros(DType::kF32, {50000, 3});
  for (int64_t r = 0; r < 50000; ++r) {
    for (int i = 0; i < 3; ++i) {
      p.mutable_data<float>()[r * 3 + i] = i == 0 ? 6.0f : i == 1 ? 3.0f : 1.0f;
    }
  }
  Array y = Draw("Multinomial", {p}, {{"num_samples", 2}});
  double first[3] = {}, second_after_0[3] = {};
  for (int64_t r = 0; r < 50000; ++r) {
    int64_t a = y.data<int64_t>()[2 * r], b = y.data<int64_t>()[2 * r + 1];
    ASSERT_NE(a, b);
    ++first[a];
    if (a == 0) ++second_after_0[b];
  }
  EXPECT_NEAR(first[0] / 50000, 0.6, 0.012);
  EXPECT_NEAR(first[1] / 50000, 0.3, 0.012);
  EXPECT_NEAR(second_after_0[1] / first[0], 0.75, 0.015);
}

TEST(RandomOps, PermutationsAreEquallyLikely) {
  std::map<std::vector<double>, int> counts;
  for (uint64_t seed = 0; seed < 24000; ++seed) {
    ++counts[Values<int64_t>(Draw("Permutation", {}, {{"n", 4}}, seed))];
  }
  EXPECT_EQ(counts.size(), 24u);
  for (const auto& [order, count] : counts) EXPECT_NEAR(count, 1000, 160);
  std::vector<double> large =
      Values<int64_t>(Draw("Permutation", {}, {{"n", 100000}}));
  double moved = 0;
  for (size_t i = 0; i < large.size(); ++i) moved += large[i] != double(i);
  EXPECT_GT(moved, 99900);
  std::sort(large.begin(), large.end());
  for (size_t i = 0; i < large.size(); ++i) ASSERT_EQ(large[i], double(i));
}

TEST(RandomOps, ShuffleKeepsRowsWhole) {
  Array x = Array::Zeros(DType::kI32, {1000, 3});
  for (int32_t i = 0; i < 3000; ++i) x.mutable_data<int32_t>()[i] = i;
  Array y = Draw("Shuffle", {x}, {});
  std::vector<bool> seen(1000);
  int64_t moved = 0;
  for (int64_t r = 0; r < 1000; ++r) {
    const int32_t* row = y.data<int32_t>() + 3 * r;
    ASSERT_EQ(row[0] % 3, 0);
    ASSERT_EQ(row[1], row[0] + 1);
    ASSERT_EQ(row[2], row[0] + 2);
    moved += row[0] != 3 * r;
    seen[static_cast<size_t>(row[0] / 3)] = true;
  }
  EXPECT_GT(moved, 980);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 1000);
}

// These very numbers, on every machine and compiler.
TEST(RandomOps, NumbersAreTheSameEverywhere) {
  using Doubles = std::vector<double>;
  EXPECT_EQ(Values<float>(Draw("RandomNormal", {}, {{"shape", Shape{2}}})),
            (Doubles{0x1.b1c91p-3, 0x1.a2da26p-2}));
  EXPECT_EQ(Values<float>(Draw("RandomExponential", {}, {{"shape", Shape{2}}})),
            (Doubles{0x1.b287c8p-4, 0x1.b75ca4p-1}));
  EXPECT_EQ(Values<double>(Draw("RandomGamma", {Full<double>(2, 0.7)}, {})),
            (Doubles{0x1.7a793b7534374p-5, 0x1.184c8fbe6016ep-3}));
  EXPECT_EQ(Values<double>(Draw("RandomPoisson", {Full<double>(3, 77.0)}, {})),
            (Doubles{85, 80, 81}));
  EXPECT_EQ(Values<int64_t>(Draw("Permutation", {}, {{"n", 6}})),
            (Doubles{1, 3, 4, 2, 5, 0}));
}

std::vector<Array> SampleClasses(int64_t count, int64_t range, bool unique,
                                 const Array& labels, uint64_t seed) {
  StepContext step;
  step.seed = seed;
  Attrs attrs{{"num_sampled", count}, {"range_max", range}, {"unique", unique}};
  auto out = RunOp(*FindOp("LogUniformSample"), attrs, {&labels, 1}, &step);
  EXPECT_TRUE(out.ok()) << out.status().ToString();
  return *out;
}

double LogUniform(int64_t c, double range) {
  return std::log1p(1.0 / static_cast<double>(c + 1)) / std::log(range + 1);
}

TEST(RandomOps, LogUniformClassesAreAsFrequentAsExpected) {
  constexpr int64_t kRange = 50;
  std::vector<int64_t> all(kRange);
  for (int64_t c = 0; c < kRange; ++c) all[static_cast<size_t>(c)] = c;
  Array labels = Array::Vector(std::span<const int64_t>(all));
  std::vector<Array> out = SampleClasses(kMany, kRange, false, labels, 11);
  std::vector<double> counts(kRange, 0);
  for (int64_t c : out[0].i64s()) ++counts[static_cast<size_t>(c)];
  double total = 0;
  for (size_t c = 0; c < kRange; ++c) {
    double expected = out[1].data<float>()[c];
    EXPECT_NEAR(counts[c], expected, 6 * std::sqrt(expected)) << c;
    EXPECT_NEAR(expected / kMany, LogUniform(all[c], kRange), 1e-6);
    total += expected;
  }
  EXPECT_NEAR(total, kMany, 1);
  // The same holds for the drawn classes.
  for (int64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(out[2].data<float>()[i],
              out[1].data<float>()[out[0].i64s()[static_cast<size_t>(i)]]);
  }
}

// Few of many are drawn in another way than many of few.
TEST(RandomOps, LogUniformUniqueClassesAreDifferent) {
  constexpr int kRuns = 4000;
  for (int64_t range : {30, 100}) {
    auto size = static_cast<size_t>(range);
    std::vector<int64_t> all(size);
    for (size_t c = 0; c < size; ++c) all[c] = static_cast<int64_t>(c);
    Array labels = Array::Vector(std::span<const int64_t>(all));
    std::vector<double> there(size, 0), expected(size, 0);
    for (uint64_t seed = 0; seed < kRuns; ++seed) {
      std::vector<Array> out = SampleClasses(8, range, true, labels, seed);
      std::vector<int64_t> ids(out[0].i64s().begin(), out[0].i64s().end());
      std::sort(ids.begin(), ids.end());
      ASSERT_EQ(std::unique(ids.begin(), ids.end()), ids.end());
      for (int64_t c : ids) ++there[static_cast<size_t>(c)];
      for (size_t c = 0; c < size; ++c) expected[c] += out[1].data<float>()[c];
    }
    for (size_t c = 0; c < size; ++c) {
      EXPECT_NEAR(there[c] / kRuns, expected[c] / kRuns, 0.04) << c;
    }
  }
  std::vector<int64_t> all(30);
  for (size_t c = 0; c < all.size(); ++c) all[c] = static_cast<int64_t>(c);
  Array labels = Array::Vector(std::span<const int64_t>(all));
  std::vector<Array> whole = SampleClasses(30, 30, true, labels, 5);
  std::vector<int64_t> ids(whole[0].i64s().begin(), whole[0].i64s().end());
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(ids, all);
}

TEST(RandomOps, LogUniformExpectsRareClassesExactly) {
  int64_t range = int64_t{1} << 40, last = range - 1;
  Array labels = Array::Vector<int64_t>({last});
  for (bool unique : {false, true}) {
    double got =
        SampleClasses(100, range, unique, labels, 3)[1].data<float>()[0];
    double p =
        1.0 / static_cast<double>(range) / std::log(static_cast<double>(range));
    EXPECT_NEAR(got / (100 * p), 1, unique ? 0.3 : 1e-5);
  }
}

}  // namespace
}  // namespace sluice
