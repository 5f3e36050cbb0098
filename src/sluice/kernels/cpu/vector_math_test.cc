#include "sluice/kernels/cpu/vector_math.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

namespace sluice {
namespace {

// The worst error in units of the last place over floats spread evenly over
// all bit patterns in [lo, hi].
double WorstUlp(const std::function<float(float)>& f,
                const std::function<double(double)>& exact, float lo,
                float hi) {
  double worst = 0;
  for (uint64_t b = 0; b < uint64_t{1} << 32; b += 9973) {
    float x = std::bit_cast<float>(static_cast<uint32_t>(b));
    if (!(x >= lo && x <= hi)) continue;
    float y = f(x);
    double want = exact(x);
    auto rounded = static_cast<float>(want);
    if (y == rounded || (std::isnan(y) && std::isnan(rounded))) continue;
    if (!std::isfinite(y) || !std::isfinite(rounded)) return 1e9;
    double ulp = std::nextafter(std::fabs(rounded), INFINITY) -
                 static_cast<double>(std::fabs(rounded));
    worst = std::max(worst, std::fabs(y - want) / ulp);
  }
  return worst;
}

constexpr float kMax = std::numeric_limits<float>::infinity();

TEST(VectorMath, StatedErrorsHold) {
  using namespace vmath;
  EXPECT_LE(WorstUlp([](float x) { return Exp(x); },
                     [](double x) { return std::exp(x); }, -kMax, kMax),
            1.01);
  EXPECT_LE(WorstUlp([](float x) { return Expm1(x); },
                     [](double x) { return std::expm1(x); }, -kMax, kMax),
            2);
  EXPECT_LE(WorstUlp([](float x) { return Log(x); },
                     [](double x) { return std::log(x); }, -kMax, kMax),
            1);
  EXPECT_LE(WorstUlp([](float x) { return Log1p(x); },
                     [](double x) { return std::log1p(x); }, -kMax, kMax),
            3);
  EXPECT_LE(WorstUlp([](float x) { return Tanh(x); },
                     [](double x) { return std::tanh(x); }, -kMax, kMax),
            2);
  EXPECT_LE(WorstUlp([](float x) { return Sigmoid(x); },
                     [](double x) { return Sigmoid(x); }, -kMax, kMax),
            3);
  EXPECT_LE(WorstUlp([](float x) { return Softplus(x); },
                     [](double x) { return Softplus(x); }, -kMax, kMax),
            3);
}

TEST(VectorMath, NanStaysNan) {
  float nan = std::nanf("");
  EXPECT_TRUE(std::isnan(vmath::Exp(nan)));
  EXPECT_TRUE(std::isnan(vmath::Expm1(nan)));
  EXPECT_TRUE(std::isnan(vmath::Log(nan)));
  EXPECT_TRUE(std::isnan(vmath::Log1p(nan)));
  EXPECT_TRUE(std::isnan(vmath::Tanh(nan)));
  EXPECT_TRUE(std::isnan(vmath::Sigmoid(nan)));
  EXPECT_TRUE(std::isnan(vmath::Softplus(nan)));
}

}  // namespace
}  // namespace sluice
