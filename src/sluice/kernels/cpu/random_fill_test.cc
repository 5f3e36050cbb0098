#include "sluice/kernels/cpu/random_fill.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace sluice {
namespace {

const RandomKey kKey = RandomKey::Of(1, 2, 3, 4);

template <class T>
std::vector<T> Uniforms(int64_t n, WorkerPool* pool = nullptr) {
  std::vector<T> v(static_cast<size_t>(n));
  EXPECT_TRUE(FillUniform(kKey, DTypeOf<T>::value, n, v.data(), pool));
  return v;
}

template <class T>
std::vector<T> Normals(int64_t n, WorkerPool* pool = nullptr) {
  std::vector<T> v(static_cast<size_t>(n));
  EXPECT_TRUE(FillNormal(kKey, DTypeOf<T>::value, n, v.data(), pool));
  return v;
}

struct Moments {
  double mean = 0, variance = 0, fourth = 0, low = 1e9, high = -1e9;
};
template <class T>
Moments MomentsOf(const std::vector<T>& v) {
  Moments m;
  for (T x : v) m.mean += static_cast<double>(x);
  m.mean /= static_cast<double>(v.size());
  for (T x : v) {
    double d = static_cast<double>(x) - m.mean;
    m.variance += d * d;
    m.fourth += d * d * d * d;
    m.low = std::min(m.low, static_cast<double>(x));
    m.high = std::max(m.high, static_cast<double>(x));
  }
  m.variance /= static_cast<double>(v.size());
  m.fourth /= static_cast<double>(v.size());
  return m;
}

template <class T>
void ExpectUniform() {
  Moments m = MomentsOf(Uniforms<T>(100000));
  EXPECT_GE(m.low, 0);
  EXPECT_LT(m.high, 1);
  EXPECT_GT(m.high, 0.99);
  EXPECT_NEAR(m.mean, 0.5, 0.005);
  EXPECT_NEAR(m.variance, 1.0 / 12, 0.002);
}

TEST(RandomFill, UniformHasItsMoments) {
  ExpectUniform<float>();
  ExpectUniform<double>();
  ExpectUniform<f16>();
  ExpectUniform<bf16>();
}

TEST(RandomFill, NormalHasItsMoments) {
  for (const Moments& m :
       {MomentsOf(Normals<float>(200000)), MomentsOf(Normals<double>(200000)),
        MomentsOf(Normals<f16>(200000)), MomentsOf(Normals<bf16>(200000))}) {
    EXPECT_NEAR(m.mean, 0, 0.01);
    EXPECT_NEAR(m.variance, 1, 0.02);
    EXPECT_NEAR(m.fourth, 3, 0.1);
    EXPECT_GT(m.high, 3.5);
    EXPECT_LT(m.high, 9);
  }
}

// The formulas for radius and angle against the C library's.
TEST(RandomFill, NormalFollowsBoxAndMuller) {
  for (uint64_t i = 0; i < 2000; ++i) {
    RandomBlock bits = RandomBits(kKey, i);
    if (i == 0) bits = {0, 0, 0, 0};
    if (i == 1) bits = {~0u, ~0u, ~0u, ~0u};
    double u = UniformDouble(bits[0], bits[1]) + 0x1p-53;
    double angle = 2 * M_PI * UniformDouble(bits[2], bits[3]);
    double radius = std::sqrt(-2 * std::log(u));
    NormalPair pair = NormalFromBits(bits);
    EXPECT_NEAR(pair.a, radius * std::cos(angle), 1e-13);
    EXPECT_NEAR(pair.b, radius * std::sin(angle), 1e-13);
  }
}

// f32 uses fewer bits and shorter polynomials.
TEST(RandomFill, NormalFloatsFollowBoxAndMuller) {
  for (uint64_t i = 0; i < 20000; ++i) {
    RandomBlock bits = RandomBits(kKey, i);
    if (i == 0) bits = {0, 0, 0, 0};
    if (i == 1) bits = {~0u, ~0u, ~0u, ~0u};
    double u = static_cast<float>(bits[0] >> 1 | 1) * 0x1p-31f;
    // Thirty bits around the middle of a quarter, two for which quarter.
    double place = static_cast<double>(static_cast<int32_t>(bits[1] << 2));
    double angle = M_PI / 2 * (place * 0x1p-32 + (bits[1] >> 30));
    double radius = std::sqrt(-2 * std::log(u));
    NormalFloats pair = NormalFromWords(bits[0], bits[1]);
    EXPECT_NEAR(pair.a, radius * std::cos(angle), 2e-6) << i;
    EXPECT_NEAR(pair.b, radius * std::sin(angle), 2e-6) << i;
  }
}

// Lanes and blocks one at a time: the same words.
TEST(RandomFill, LanesGiveTheBlocksOfTheStream) {
  for (int64_t count : {1, 63, 64, 65, 1000}) {
    std::vector<uint32_t> words(static_cast<size_t>(count));
    FillWords(kKey, 128, 128 + count, words.data());
    for (int64_t i = 0; i < count; ++i) {
      auto at = static_cast<uint64_t>(128 + i);
      EXPECT_EQ(words[static_cast<size_t>(i)],
                RandomBits(kKey, at / 4)[at % 4]);
    }
  }
}

TEST(RandomFill, StrictMathIsRight) {
  for (double x = -40; x < 40; x += 0.0137) {
    EXPECT_NEAR(StrictExp(x) / std::exp(x), 1, 4e-15) << x;
    double u = std::exp(x);
    EXPECT_NEAR(-NegativeLog(u), std::log(u), 1e-14) << u;
  }
  EXPECT_EQ(StrictExp(0), 1);
  EXPECT_EQ(StrictExp(-1e300), 0);
  EXPECT_TRUE(std::isfinite(StrictExp(1e300)));
  EXPECT_TRUE(std::isnan(StrictExp(std::nan(""))));
}

// These very numbers, on every machine and compiler.
TEST(RandomFill, NumbersAreTheSameEverywhere) {
  std::vector<float> uniform = Uniforms<float>(3);
  std::vector<double> normal = Normals<double>(3);
  EXPECT_EQ(uniform, (std::vector<float>{0x1.c3d782p-1f, 0x1.abacfp-4f,
                                         0x1.be2682p-1f}));
  EXPECT_EQ(normal,
            (std::vector<double>{0x1.61b7ccbe6afc6p-2, -0x1.72269e5abd69fp-2,
                                 0x1.24282ecfba7cbp+1}));
}

TEST(RandomFill, ThreadsAndLengthChangeNothing) {
  WorkerPool pool(3);
  std::vector<float> all = Normals<float>(50001),
                     threaded = Normals<float>(50001, &pool);
  EXPECT_EQ(all, threaded);
  std::vector<float> fewer = Normals<float>(777);
  EXPECT_TRUE(std::equal(fewer.begin(), fewer.end(), all.begin()));
  EXPECT_EQ(Uniforms<float>(50001), Uniforms<float>(50001, &pool));
}

TEST(RandomFill, RefusesOtherTypes) {
  int32_t v[4];
  EXPECT_FALSE(FillUniform(kKey, DType::kI32, 4, v, nullptr));
  EXPECT_FALSE(FillNormal(kKey, DType::kI32, 4, v, nullptr));
}

}  // namespace
}  // namespace sluice
