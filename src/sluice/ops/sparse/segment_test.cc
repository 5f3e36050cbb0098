// Contents of empty segments, type by type: the sweep's reference cannot
// express the limits of a type.
#include <gtest/gtest.h>

#include <limits>

#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"

namespace sluice {
namespace {

template <class T>
void ExpectEnds(T least, T largest) {
  Array data = Array::Vector<T>({T(3), T(4)});
  Array sorted = Array::Vector<int64_t>({1, 1});
  Array in[] = {data, sorted, Array::Scalar<int64_t>(3)};
  auto first = [&](const char* op, int inputs) {
    auto out =
        RunOp(*FindOp(op), {}, std::span(in, static_cast<size_t>(inputs)));
    EXPECT_TRUE(out.ok()) << out.status().ToString();
    EXPECT_EQ((*out)[0].dim(0), inputs);
    return (*out)[0].template data<T>()[0];
  };
  EXPECT_EQ(first("SegmentMin", 2), largest);
  EXPECT_EQ(first("SegmentMax", 2), least);
  EXPECT_EQ(first("UnsortedSegmentMin", 3), largest);
  EXPECT_EQ(first("UnsortedSegmentMax", 3), least);
}

template <class T>
void ExpectLimits() {
  ExpectEnds<T>(std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
}

TEST(SegmentExtremes, OfEmptySegments) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  ExpectEnds<float>(-kInf, kInf);
  ExpectEnds<double>(-kInf, kInf);
  ExpectLimits<int8_t>();
  ExpectLimits<int32_t>();
  ExpectLimits<int64_t>();
  ExpectLimits<uint8_t>();
  ExpectLimits<uint64_t>();
}

TEST(SegmentSums, OfHalvesAreFloatSums) {
  // 4096 ones: a sum kept in bf16 would stop at 256.
  Array data = *Array::Make(DType::kBF16, Shape({4096}));
  for (int64_t i = 0; i < 4096; ++i) data.mutable_data<bf16>()[i] = bf16(1.0f);
  Array in[] = {data, Array::Zeros(DType::kI32, {4096})};
  auto sum = RunOp(*FindOp("SegmentSum"), {}, in);
  ASSERT_TRUE(sum.ok()) << sum.status().ToString();
  EXPECT_EQ(static_cast<float>((*sum)[0].data<bf16>()[0]), 4096);
  auto mean = RunOp(*FindOp("SegmentMean"), {}, in);
  ASSERT_TRUE(mean.ok()) << mean.status().ToString();
  EXPECT_EQ(static_cast<float>((*mean)[0].data<bf16>()[0]), 1);
}

}  // namespace
}  // namespace sluice
