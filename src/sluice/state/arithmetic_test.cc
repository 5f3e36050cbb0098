#include "sluice/state/arithmetic.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace sluice {
namespace {

TEST(Arithmetic, AddsInPlaceWhenAlone) {
  Array a = Array::Vector<float>({1, 2});
  const void* where = a.raw();
  ASSERT_TRUE(AddTo(&a, Array::Vector<float>({10, 20})).ok());
  EXPECT_EQ(a.raw(), where);
  EXPECT_TRUE(a.BitEquals(Array::Vector<float>({11, 22})));
}

TEST(Arithmetic, CopiesWhenShared) {
  Array a = Array::Vector<float>({1, 2});
  Array other = a;
  ASSERT_TRUE(AddTo(&a, Array::Vector<float>({10, 20}), true).ok());
  EXPECT_TRUE(a.BitEquals(Array::Vector<float>({-9, -18})));
  EXPECT_TRUE(other.BitEquals(Array::Vector<float>({1, 2})));
}

TEST(Arithmetic, AddsAnArrayToItself) {
  Array a = Array::Vector<int64_t>({3});
  ASSERT_TRUE(AddTo(&a, Array(a)).ok());
  EXPECT_EQ(a.data<int64_t>()[0], 6);
}

TEST(Arithmetic, IntegersWrap) {
  Array a = Array::Scalar<int32_t>(std::numeric_limits<int32_t>::max());
  ASSERT_TRUE(AddTo(&a, Array::Scalar<int32_t>(1)).ok());
  EXPECT_EQ(a.data<int32_t>()[0], std::numeric_limits<int32_t>::min());
  Array b = Array::Scalar<uint8_t>(uint8_t{1});
  ASSERT_TRUE(AddTo(&b, Array::Scalar<uint8_t>(uint8_t{2}), true).ok());
  EXPECT_EQ(b.data<uint8_t>()[0], 255);
}

TEST(Arithmetic, EveryNumberTypeAdds) {
  for (int d = 1; d < kNumDTypes; ++d) {
    auto dtype = static_cast<DType>(d);
    if (!kAnyData.contains(dtype)) continue;
    Array a = Array::Zeros(dtype, {2}), b = Array::Zeros(dtype, {2});
    EXPECT_EQ(AddTo(&a, b).ok(), kNumbers.contains(dtype)) << DTypeName(dtype);
  }
}

TEST(Arithmetic, Divides) {
  EXPECT_TRUE(Divide(Array::Vector<float>({1, 3}), 2)
                  ->BitEquals(Array::Vector<float>({0.5f, 1.5f})));
  EXPECT_TRUE(Divide(Array::Vector<int32_t>({-7, 7}), 2)
                  ->BitEquals(Array::Vector<int32_t>({-3, 3})));
  uint64_t big = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ(Divide(Array::Scalar<uint64_t>(big), 1)->data<uint64_t>()[0], big);
  EXPECT_EQ(Divide(Array::Scalar(complex64(2, 4)), 2)->data<complex64>()[0],
            complex64(1, 2));
}

TEST(Arithmetic, OwnsWhatItBorrowed) {
  float bytes[2] = {1, 2};
  Array borrowed = Array::Borrow(bytes, DType::kF32, {2});
  Array own = *OwnedArray(borrowed);
  bytes[0] = 9;
  EXPECT_TRUE(own.BitEquals(Array::Vector<float>({1, 2})));
  Array again = *OwnedArray(own);
  EXPECT_EQ(again.raw(), own.raw());
}

TEST(Arithmetic, OwnsAStridedArrayAsARowMajorOne) {
  Array a = Array::Of<float>({2, 2}, {1, 2, 3, 4});
  Strides transposed{1, 2};
  Array own = *OwnedArray(Array::View(a, 0, {2, 2}, transposed));
  EXPECT_TRUE(own.contiguous());
  EXPECT_TRUE(own.BitEquals(Array::Of<float>({2, 2}, {1, 3, 2, 4})));
}

TEST(Arithmetic, ConvertsHalfTypes) {
  EXPECT_EQ(SumDType(DType::kBF16), DType::kF32);
  EXPECT_EQ(SumDType(DType::kF64), DType::kF64);
  Array half = *ConvertFloat(Array::Vector<float>({1.5f}), DType::kF16);
  EXPECT_EQ(half.dtype(), DType::kF16);
  EXPECT_TRUE(
      ConvertFloat(half, DType::kF32)->BitEquals(Array::Vector<float>({1.5f})));
}

}  // namespace
}  // namespace sluice
