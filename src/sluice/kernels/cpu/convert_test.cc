#include "sluice/kernels/cpu/convert.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <vector>

#include "sluice/tensor/array.h"

namespace sluice {
namespace {

template <class To, class From>
To Convert(From v) {
  BlockKernel kernel = ConvertBlock(DTypeOf<From>::value, DTypeOf<To>::value);
  EXPECT_NE(kernel.fn, nullptr);
  const void* in[] = {&v};
  To out{};
  kernel.fn(&out, in, 1, kernel.params);
  return out;
}

TEST(Convert, IntegersWrap) {
  EXPECT_EQ(Convert<uint8_t>(int32_t{-1}), 255);
  EXPECT_EQ(Convert<int8_t>(int32_t{200}), -56);
  EXPECT_EQ(Convert<int8_t>(uint16_t{0x1ff}), -1);
  EXPECT_EQ(Convert<uint64_t>(int8_t{-1}), UINT64_MAX);
  EXPECT_EQ(Convert<int64_t>(UINT64_MAX), -1);
  EXPECT_EQ(Convert<int32_t>(int64_t{1} << 32), 0);
}

TEST(Convert, ComplexNumbersAreTrueUnlessBothPartsAreZero) {
  EXPECT_TRUE(Convert<bool>(complex64(0, 1)));
  EXPECT_TRUE(Convert<bool>(complex64(1, 0)));
  EXPECT_FALSE(Convert<bool>(complex64(0, 0)));
  EXPECT_EQ(Convert<float>(complex64(2, 1)), 2);
}

TEST(Convert, FloatsSaturate) {
  EXPECT_EQ(Convert<int64_t>(1e300), INT64_MAX);
  EXPECT_EQ(Convert<int64_t>(-1e300), INT64_MIN);
  EXPECT_EQ(Convert<int64_t>(0x1p63), INT64_MAX);
  EXPECT_EQ(Convert<int64_t>(-0x1p63), INT64_MIN);
  EXPECT_EQ(Convert<uint64_t>(0x1p64), UINT64_MAX);
  EXPECT_EQ(Convert<uint64_t>(-1.0), 0u);
  EXPECT_EQ(Convert<int32_t>(2147483648.0f), INT32_MAX);
  EXPECT_EQ(Convert<int32_t>(std::numeric_limits<float>::quiet_NaN()), 0);
  EXPECT_EQ(Convert<int8_t>(-128.9), -128);
  EXPECT_EQ(Convert<uint8_t>(255.9f), 255);
}

TEST(Convert, ExactWhereTheTypeAllows) {
  EXPECT_EQ(Convert<float>(int64_t{16777217}), 16777216.0f);
  // Rounded once: by way of double this would come out one step lower.
  int64_t tie = (int64_t{1} << 60) + (int64_t{1} << 36) + 1;
  EXPECT_EQ(Convert<float>(tie), 0x1.000002p60f);
  EXPECT_EQ(Convert<double>(uint64_t{1} << 63), 0x1p63);
  EXPECT_EQ(Convert<bool>(0.5f), true);
  EXPECT_EQ(Convert<bool>(-0.0), false);
  EXPECT_EQ(Convert<float>(true), 1.0f);
  EXPECT_EQ(Convert<complex64>(int16_t{-3}), complex64(-3, 0));
  EXPECT_EQ(Convert<int16_t>(complex64(7.5f, 100)), 7);
  EXPECT_EQ(Convert<complex64>(complex64(1, 2)), complex64(1, 2));
}

// Whatever half-precision instructions the machine has, NaNs included.
TEST(Convert, HalvesRoundAlikeEverywhere) {
  constexpr int64_t kCount = 1 << 16;
  std::vector<float> wide(kCount);
  std::vector<uint16_t> half(kCount);
  BlockKernel to_f16 = ConvertBlock(DType::kF32, DType::kF16);
  BlockKernel to_bf16 = ConvertBlock(DType::kF32, DType::kBF16);
  BlockKernel from_f16 = ConvertBlock(DType::kF16, DType::kF32);
  for (uint32_t pass = 0; pass < 16; ++pass) {
    for (uint32_t k = 0; k < kCount; ++k) {
      wide[k] = std::bit_cast<float>(k * 65521u + pass * 4093u);
    }
    const void* in[] = {wide.data()};
    to_f16.fn(half.data(), in, kCount, to_f16.params);
    for (size_t k = 0; k < kCount; ++k) {
      ASSERT_EQ(half[k], f16::FromFloat(wide[k])) << wide[k];
    }
    to_bf16.fn(half.data(), in, kCount, to_bf16.params);
    for (size_t k = 0; k < kCount; ++k) {
      ASSERT_EQ(half[k], bf16(wide[k]).bits) << wide[k];
    }
  }
  for (uint32_t k = 0; k < kCount; ++k) half[k] = static_cast<uint16_t>(k);
  const void* in[] = {half.data()};
  from_f16.fn(wide.data(), in, kCount, from_f16.params);
  for (uint32_t k = 0; k < kCount; ++k) {
    ASSERT_EQ(std::bit_cast<uint32_t>(wide[k]),
              std::bit_cast<uint32_t>(f16::ToFloat(half[k])))
        << k;
  }
}

TEST(Convert, NoFunctionForStrings) {
  EXPECT_EQ(ConvertBlock(DType::kString, DType::kF32).fn, nullptr);
  EXPECT_EQ(ConvertBlock(DType::kF32, DType::kString).fn, nullptr);
}

}  // namespace
}  // namespace sluice
