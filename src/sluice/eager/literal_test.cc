#include "sluice/eager/literal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sluice {
namespace {

TEST(Literal, HasTheTypeCppGivesIt) {
  EXPECT_EQ(Literal(1).dtype(), DType::kI32);
  EXPECT_EQ(Literal(1L).dtype(), DType::kI64);
  EXPECT_EQ(Literal(1LL).dtype(), DType::kI64);
  EXPECT_EQ(Literal(1ULL).dtype(), DType::kU64);
  EXPECT_EQ(Literal(1.0f).dtype(), DType::kF32);
  EXPECT_EQ(Literal(1.0).dtype(), DType::kF64);
  EXPECT_EQ(Literal(true).dtype(), DType::kBool);
  EXPECT_EQ(Literal("text").dtype(), DType::kString);
  EXPECT_EQ(Literal(complex64(1, 2)).dtype(), DType::kC64);
}

TEST(Literal, BracesMakeVectorsAndMatrices) {
  EXPECT_EQ(Literal({1, 2, 3}).value().TypeText(), "i32[3]");
  EXPECT_EQ(Literal({1.5f}).value().TypeText(), "f32[1]");
  EXPECT_EQ(Literal({"a", "b"}).value().TypeText(), "string[2]");
  int64_t batch = 4;
  EXPECT_EQ(Literal({batch, 10}).value().TypeText(), "i64[2]");
  Literal matrix({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(matrix.value().TypeText(), "i32[2,3]");
  EXPECT_EQ(matrix.value().data<int32_t>()[3], 4);
  EXPECT_EQ(Literal(std::vector<double>{1, 2}).value().TypeText(), "f64[2]");
  EXPECT_EQ(Literal(std::vector<bool>{true, false}).value().TypeText(),
            "bool[2]");
}

TEST(Literal, RowsMustHaveOneLength) {
  try {
    Literal({{1, 2}, {3}});
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "[Const] row 1 has 1 elements; wanted 2 as row 0");
  }
}

TEST(Literal, TakesATypeThatCanHoldIt) {
  EXPECT_EQ(Literal(2).As(DType::kF32)->data<float>()[0], 2.0f);
  EXPECT_EQ(Literal(0.1).As(DType::kF32)->data<float>()[0], 0.1f);
  EXPECT_EQ(Literal(3.0).As(DType::kU8)->data<uint8_t>()[0], 3);
  EXPECT_EQ(static_cast<float>(Literal(0.5).As(DType::kF16)->data<f16>()[0]),
            0.5f);
  EXPECT_EQ(Literal(2).As(DType::kC64)->data<complex64>()[0], complex64(2, 0));
  EXPECT_EQ(Literal({1, -1}).As(DType::kI64)->i64s()[1], -1);
  EXPECT_EQ(Literal(-0x1p63).As(DType::kI64)->i64s()[0],
            std::numeric_limits<int64_t>::min());
}

TEST(Literal, RefusesATypeThatCannotHoldIt) {
  EXPECT_EQ(Literal(0.5).As(DType::kI32).status().message(),
            "the value 0.5 of type f64 is no i32");
  EXPECT_FALSE(Literal(300).As(DType::kU8).ok());
  EXPECT_FALSE(Literal(-1).As(DType::kU64).ok());
  EXPECT_FALSE(Literal(0x1p63).As(DType::kI64).ok());
  EXPECT_FALSE(Literal(0x1p64).As(DType::kU64).ok());
  EXPECT_FALSE(Literal(std::nan("")).As(DType::kI32).ok());
  EXPECT_FALSE(Literal(1).As(DType::kBool).ok());
  EXPECT_FALSE(Literal(true).As(DType::kF32).ok());
  EXPECT_FALSE(Literal("1").As(DType::kF32).ok());
  EXPECT_FALSE(Literal(1).As(DType::kString).ok());
  EXPECT_FALSE(Literal(1).As(DType::kResource).ok());
  EXPECT_FALSE(Literal(Array()).As(DType::kF32).ok());
}

TEST(Literal, AnArrayKeepsItsType) {
  Literal array(Array::Scalar(2));
  EXPECT_TRUE(array.As(DType::kI32).ok());
  EXPECT_FALSE(array.As(DType::kF32).ok());
}

}  // namespace
}  // namespace sluice
