// Block functions of long formulas: whatever the length, whether the stretch
// contains extremes, and whether the result overwrites the input, each element
// equals the formula's result for it alone.
#include "sluice/kernels/cpu/long_formula.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <vector>

#include "sluice/kernels/cpu/vector_math.h"

namespace sluice {
namespace {

template <int kVectors>
struct LogOf : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Log(x);
  }
  static constexpr uint32_t kNear = vmath::kLogNear;
  static uint32_t Distance(float x) { return vmath::LogDistance(x); }
  static constexpr int kWave = kVectors;
  template <class F>
  static SL_INLINE F Near(F x) {
    return vmath::LogNear(x);
  }
};

template <class F>
void ExpectEachElement(int64_t n, int64_t extreme) {
  // Past the end: a mark that must stay.
  constexpr float kMark = 12345.0f;
  std::vector<float> x(static_cast<size_t>(n + 1)), y(x.size(), kMark);
  for (int64_t i = 0; i < n; ++i) {
    x[static_cast<size_t>(i)] = 0.37f + 0.61f * static_cast<float>(i);
  }
  if (extreme < n) {
    x[static_cast<size_t>(extreme)] = std::numeric_limits<float>::infinity();
  }
  x.back() = kMark;
  auto run = [&](const std::vector<float>& from, std::vector<float>& to) {
    const void* in[] = {from.data()};
    PickLevel<long_formula::FloatLoop<F>>()(to.data(), in, n, BlockParams{});
  };
  run(x, y);
  ASSERT_EQ(y.back(), kMark) << n;
  for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
    ASSERT_EQ(std::bit_cast<uint32_t>(y[i]),
              std::bit_cast<uint32_t>(vmath::Log(x[i])))
        << "element " << i << " of " << n;
  }
  run(x, x);  // in place
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(std::bit_cast<uint32_t>(x[i]), std::bit_cast<uint32_t>(y[i]))
        << "in place, element " << i << " of " << n;
  }
}

TEST(LongFormula, EveryLengthAndInPlace) {
  constexpr int64_t kNowhere = std::numeric_limits<int64_t>::max();
  for (int64_t n = 1; n < 1200; n += n < 100 ? 1 : 37) {
    ExpectEachElement<LogOf<6>>(n, kNowhere);
    ExpectEachElement<LogOf<8>>(n, kNowhere);
    ExpectEachElement<LogOf<6>>(n, n / 2);
    ExpectEachElement<LogOf<8>>(n, n - 1);
  }
}

}  // namespace
}  // namespace sluice
