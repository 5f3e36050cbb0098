// The errors stated in vector_math.h, over floats of every exponent: for each
// function a different stride that is coprime to 2^32, so that the values of
// two functions have little in common, and the points where formulas change.
// The largest errors over all floats are measured by `SLUICE_FULL=1
// kernels_test --gtest_filter=VectorMath.*`, which takes a while.
#include "sluice/kernels/cpu/vector_math.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "sluice/base/sanitizers.h"

namespace sluice {
namespace {

struct Function {
  const char* name;
  float (*f)(float);
  double (*exact)(double);
  double ulp;     // as vector_math.h states
  uint32_t bits;  // a fingerprint of results, the same on every machine
  // Points where formulas change, besides the common bounds.
  std::vector<float> borders;
};

double Sigmoid(double x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}
double Softplus(double x) {
  return (x > 0 ? x : 0.0) + std::log1p(std::exp(-std::fabs(x)));
}
double Gelu(double x) {
  if (x == -HUGE_VAL) return -0.0;
  return x * 0.5 * std::erfc(-x * 0.70710678118654752440);
}
double GeluTanh(double x) {
  if (x == -HUGE_VAL) return -0.0;
  double v = 0.79788456080286535588 * (x + 0.044715 * x * x * x);
  return x * Sigmoid(2 * v);
}

#define SL_FUNCTION(Name) [](float x) { return vmath::Name(x); }
#define SL_EXACT(name) [](double x) -> double { return std::name(x); }

const std::vector<Function>& Functions() {
  static const std::vector<Function> functions = {
      {"Exp",
       SL_FUNCTION(Exp),
       SL_EXACT(exp),
       1.0,
       0xfdd380e9u,
       {-104, -103.97f, -87.3f, 88.7f, 88.73f, 89}},
      {"Exp2",
       SL_FUNCTION(Exp2),
       SL_EXACT(exp2),
       1.1,
       0x8c609450u,
       {-151, -150, -149, -126, 127.5f, 128, 129}},
      {"Expm1",
       SL_FUNCTION(Expm1),
       SL_EXACT(expm1),
       1.5,
       0xfd252070u,
       {-20, -17, 0.34f, 88, 88.7f, 89}},
      {"Log",
       SL_FUNCTION(Log),
       SL_EXACT(log),
       1.0,
       0xa16c369fu,
       {1, 0.70710678f, 1.41421356f, 2}},
      {"Log2",
       SL_FUNCTION(Log2),
       SL_EXACT(log2),
       1.5,
       0x8d6fb517u,
       {1, 0.70710678f, 1.41421356f, 2, 8}},
      {"Log10",
       SL_FUNCTION(Log10),
       SL_EXACT(log10),
       1.1,
       0x83facc91u,
       {1, 0.70710678f, 1.41421356f, 10, 1000}},
      {"Log1p",
       SL_FUNCTION(Log1p),
       SL_EXACT(log1p),
       1.6,
       0x1c722eb9u,
       {-1, -0.29289f, 0.41421f, 1, 1.8446744e19f}},
      {"Sin",
       SL_FUNCTION(Sin),
       SL_EXACT(sin),
       1.7,
       0xcc78fb51u,
       {0.785398f, 1.570796f, 3.141593f, 131072, 16367173e10f}},
      {"Cos",
       SL_FUNCTION(Cos),
       SL_EXACT(cos),
       1.7,
       0x50899300u,
       {0.785398f, 1.570796f, 3.141593f, 131072, 16367173e10f}},
      {"Tan",
       SL_FUNCTION(Tan),
       SL_EXACT(tan),
       4.0,
       0x87f6236bu,
       {0.785398f, 1.570796f, 3.141593f, 131072, 16367173e10f}},
      {"Asin", SL_FUNCTION(Asin), SL_EXACT(asin), 2.5, 0x18421ca1u, {0.5f, 1}},
      {"Acos", SL_FUNCTION(Acos), SL_EXACT(acos), 1.2, 0x8bcecd72u, {0.5f, 1}},
      {"Atan", SL_FUNCTION(Atan), SL_EXACT(atan), 1.4, 0xddc9ced3u, {1}},
      {"Sinh",
       SL_FUNCTION(Sinh),
       SL_EXACT(sinh),
       1.8,
       0x6c3d02cfu,
       {1, 89.4f, 90}},
      {"Cosh",
       SL_FUNCTION(Cosh),
       SL_EXACT(cosh),
       1.6,
       0x39620018u,
       {1, 89.4f, 90}},
      {"Tanh", SL_FUNCTION(Tanh), SL_EXACT(tanh), 2.5, 0x31437b75u, {9, 9.1f}},
      {"Asinh",
       SL_FUNCTION(Asinh),
       SL_EXACT(asinh),
       1.9,
       0xe6e0c7ecu,
       {1, 1073741824}},
      {"Acosh",
       SL_FUNCTION(Acosh),
       SL_EXACT(acosh),
       2.0,
       0x339d7e4eu,
       {1, 1073741824}},
      {"Atanh",
       SL_FUNCTION(Atanh),
       SL_EXACT(atanh),
       2.2,
       0x156c8b6du,
       {1, 0.17f}},
      {"Sigmoid",
       SL_FUNCTION(Sigmoid),
       Sigmoid,
       2.4,
       0xccb6ea10u,
       {-104, -87, 16.6f, 17.4f, 87}},
      {"Softplus",
       SL_FUNCTION(Softplus),
       Softplus,
       2.0,
       0xb2f03004u,
       {-104, -87, 16.6f}},
      {"Erf", SL_FUNCTION(Erf), SL_EXACT(erf), 1.7, 0xc2a13d88u, {3.9f, 4}},
      {"Erfc",
       SL_FUNCTION(Erfc),
       SL_EXACT(erfc),
       6.0,
       0xd98d5befu,
       {1, 9.2f, 10.1f}},
      {"Gelu", SL_FUNCTION(Gelu), Gelu, 7.0, 0x16e46ee6u, {5, 13.2f, 14.5f}},
      {"GeluTanh",
       SL_FUNCTION(GeluTanh),
       GeluTanh,
       3.5,
       0x283dd0a1u,
       {4.7f, 10, 10.8f}},
      {"Cbrt", SL_FUNCTION(Cbrt), SL_EXACT(cbrt), 1.0, 0x3490d564u, {1, 8, 27}},
  };
  return functions;
}

double UlpOf(float v) {
  int exponent = v == 0 ? -149 : std::ilogb(v) - 23;
  return std::ldexp(1.0, std::max(exponent, -149));
}

// The error of y in units of the last place of the exact result; wrong
// infinities, NaN and signs of zero count as a large error.
double Error(float y, double exact) {
  auto rounded = static_cast<float>(exact);
  if (std::bit_cast<uint32_t>(y) == std::bit_cast<uint32_t>(rounded)) return 0;
  if (std::isnan(y) || std::isnan(rounded)) {
    return std::isnan(y) && std::isnan(rounded) ? 0 : 1e9;
  }
  if (y == 0 && rounded == 0) return 1e9;
  if (std::isinf(y) || std::isinf(rounded)) {
    // Right where results overflow, infinity is the next float.
    double got = std::isinf(y) ? std::copysign(0x1p128, y) : y;
    return std::fabs(got - exact) / 0x1p104;
  }
  return std::fabs(y - exact) / UlpOf(rounded);
}

struct Worst {
  double ulp = 0;
  float x = 0;
  void Try(const Function& function, uint32_t bits) {
    auto value = std::bit_cast<float>(bits);
    double error = Error(function.f(value), function.exact(value));
    if (error > ulp || error != error) *this = {error, value};
  }
};

bool Full() { return std::getenv("SLUICE_FULL") != nullptr; }
// Under emulation and sanitizers every number is dear: fewer are tried.
uint64_t Sparser() {
#if SL_ASAN || SL_TSAN
  return 101;
#else
  return std::getenv("SLUICE_EMULATED") ? 101 : 1;
#endif
}

TEST(VectorMath, StatedErrorsHold) {
  uint64_t stride = 2999;
  for (const Function& f : Functions()) {
    Worst worst;
    stride += 2;
    uint64_t step = Full() ? 1 : stride * Sparser();
    for (uint64_t b = 0; b < uint64_t{1} << 32; b += step) {
      worst.Try(f, static_cast<uint32_t>(b));
    }
    EXPECT_LE(worst.ulp, f.ulp) << f.name << " at " << worst.x;
    if (Full()) std::printf("%-9s %.3f at %.9g\n", f.name, worst.ulp, worst.x);
  }
}

TEST(VectorMath, StatedErrorsHoldWhereFormulasChange) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for (const Function& f : Functions()) {
    Worst worst;
    std::vector<float> places = f.borders;
    places.insert(places.end(), {0, kInf, 1.17549435e-38f});
    for (float place : places) {
      for (uint32_t sign : {0u, 0x80000000u}) {
        auto bits = std::bit_cast<uint32_t>(place);
        for (uint32_t k = 0; k < 2000; ++k) {
          worst.Try(f, (bits + k) ^ sign);
          if (bits >= k) worst.Try(f, (bits - k) ^ sign);
        }
      }
    }
    EXPECT_LE(worst.ulp, f.ulp) << f.name << " at " << worst.x;
  }
}

// Without NaNs, which differ in bits that nobody reads.
uint32_t Fingerprint(const Function& f) {
  uint32_t hash = 2166136261u;
  for (uint32_t k = 0; k < 5000; ++k) {
    uint32_t bits = k * 858993u;  // over all floats
    if (k % 2) bits = (bits & 0x807fffffu) | ((119 + k % 13) << 23);
    float y = f.f(std::bit_cast<float>(bits));
    hash = (hash ^ (y == y ? std::bit_cast<uint32_t>(y) : 0)) * 16777619u;
  }
  return hash;
}

// A change here is no mistake when a formula was changed on purpose.
TEST(VectorMath, SameBitsOnEveryMachine) {
  for (const Function& f : Functions()) {
    EXPECT_EQ(Fingerprint(f), f.bits) << f.name;
  }
}

// The formulas for stretches without extremes must give the same bits as the
// others.
TEST(VectorMath, NearFormulasGiveTheSameBits) {
  auto same = [](float a, float b) {
    return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
  };
  for (uint64_t b = 0; b < uint64_t{1} << 32; b += 4001 * Sparser()) {
    auto x = std::bit_cast<float>(static_cast<uint32_t>(b));
    if (vmath::Distance(x) <= vmath::kExpNear) {
      ASSERT_TRUE(same(vmath::ExpNear(x), vmath::Exp(x))) << x;
      ASSERT_TRUE(same(vmath::SigmoidNear(x), vmath::Sigmoid(x))) << x;
    }
    if (vmath::Distance(x) <= vmath::kGeluNear) {
      ASSERT_TRUE(same(vmath::GeluNear(x), vmath::Gelu(x))) << x;
    }
    if (vmath::LogDistance(x) <= vmath::kLogNear) {
      ASSERT_TRUE(same(vmath::LogNear(x), vmath::Log(x))) << x;
      ASSERT_TRUE(same(vmath::Log2Near(x), vmath::Log2(x))) << x;
      ASSERT_TRUE(same(vmath::Log10Near(x), vmath::Log10(x))) << x;
    }
  }
}

#if defined(__aarch64__)
// Every lane of a wave must equal the result for a single number.
template <int N, class Near, class Distance>
void ExpectWaves(const char* name, Near near, Distance distance,
                 uint32_t bound) {
  float x[Wave<N>::kFloats], y[Wave<N>::kFloats];
  int filled = 0;
  for (uint64_t b = 0; b < uint64_t{1} << 32; b += 5003 * Sparser()) {
    auto v = std::bit_cast<float>(static_cast<uint32_t>(b));
    if (distance(v) > bound) continue;
    x[filled++] = v;
    if (filled < Wave<N>::kFloats) continue;
    near(Wave<N>::Load(x)).Store(y);
    for (int k = 0; k < filled; ++k) {
      ASSERT_EQ(std::bit_cast<uint32_t>(y[k]),
                std::bit_cast<uint32_t>(near(x[k])))
          << name << " of " << x[k];
    }
    filled = 0;
  }
}

TEST(VectorMath, WavesGiveTheSameBits) {
  auto distance = [](float x) { return vmath::Distance(x); };
  ExpectWaves<8>(
      "exp", [](auto x) { return vmath::ExpNear(x); }, distance,
      vmath::kExpNear);
  ExpectWaves<8>(
      "sigmoid", [](auto x) { return vmath::SigmoidNear(x); }, distance,
      vmath::kExpNear);
  ExpectWaves<6>(
      "log", [](auto x) { return vmath::LogNear(x); },
      [](float x) { return vmath::LogDistance(x); }, vmath::kLogNear);
}
#endif

// Pairs of floats spread over all bit patterns, most of them of moderate size.
TEST(VectorMath, FunctionsOfTwoNumbers) {
  uint32_t state = 1;
  auto next = [&](uint32_t k) {
    state = state * 1664525u + 1013904223u;
    uint32_t bits = state ^ (state >> 15);
    // Exponents within 2^-8 .. 2^8, three times in four.
    if (k % 4 != 0) bits = (bits & 0x807fffffu) | ((119 + bits % 17) << 23);
    return std::bit_cast<float>(bits);
  };
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const float special[] = {0,  -0.0f, 1,     -1,  0.5f,   2,       -2,   3,
                           -3, kInf,  -kInf, NAN, 1e-45f, -1e-45f, 3e38f};
  double pow_worst = 0, atan_worst = 0;
  auto try_pair = [&](float a, float b) {
    double p = Error(vmath::Pow(a, b),
                     std::pow(static_cast<double>(a), static_cast<double>(b)));
    double t = Error(vmath::Atan2(a, b), std::atan2(static_cast<double>(a),
                                                    static_cast<double>(b)));
    EXPECT_LE(p, 1.2) << "pow " << a << " " << b;
    EXPECT_LE(t, 1.7) << "atan2 " << a << " " << b;
    pow_worst = std::max(pow_worst, p);
    atan_worst = std::max(atan_worst, t);
  };
  for (float a : special) {
    for (float b : special) try_pair(a, b);
  }
  uint32_t count =
      Full() ? 400'000'000 : static_cast<uint32_t>(1'000'000 / Sparser());
  for (uint32_t k = 0; k < count && !HasFailure(); ++k) {
    float a = next(k), b = next(k);
    try_pair(a, b);
  }
  if (Full()) std::printf("Pow %.3f Atan2 %.3f\n", pow_worst, atan_worst);
}

}  // namespace
}  // namespace sluice
