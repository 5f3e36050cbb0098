// Integers at the limits of their range: arithmetic wraps, nothing is
// undefined.
#include <gtest/gtest.h>

#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"

namespace sluice {
namespace {

template <class T>
T Call(const char* op, std::vector<T> args) {
  std::vector<Array> in;
  for (T v : args) in.push_back(Array::Scalar(v));
  auto out = RunOp(*FindOp(op), {}, in);
  EXPECT_TRUE(out.ok()) << out.status().ToString();
  return (*out)[0].template data<T>()[0];
}

TEST(IntegerOps, Wrap) {
  EXPECT_EQ(Call<int32_t>("Add", {INT32_MAX, 1}), INT32_MIN);
  EXPECT_EQ(Call<int64_t>("Sub", {INT64_MIN, 1}), INT64_MAX);
  EXPECT_EQ(Call<uint16_t>("Mul", {65535, 65535}), 1);
  EXPECT_EQ(Call<int8_t>("Mul", {100, 2}), -56);
  EXPECT_EQ(Call<int64_t>("Neg", {INT64_MIN}), INT64_MIN);
  EXPECT_EQ(Call<int32_t>("Abs", {INT32_MIN}), INT32_MIN);
  EXPECT_EQ(Call<int64_t>("Square", {int64_t{1} << 32}), 0);
  EXPECT_EQ(Call<int64_t>("Pow", {3, 41}), -420491770248316829);
}

TEST(IntegerOps, DivisionAtTheEnds) {
  EXPECT_EQ(Call<int32_t>("Div", {INT32_MIN, -1}), INT32_MIN);
  EXPECT_EQ(Call<int64_t>("FloorDiv", {INT64_MIN, -1}), INT64_MIN);
  EXPECT_EQ(Call<int64_t>("Mod", {INT64_MIN, -1}), 0);
  EXPECT_EQ(Call<int8_t>("FloorDiv", {-128, 3}), -43);
  EXPECT_EQ(Call<int8_t>("Mod", {-128, 3}), 1);
}

TEST(IntegerOps, RangeReachesTheEnds) {
  auto range = [](int64_t start, int64_t limit, int64_t delta) {
    Array in[] = {Array::Scalar(start), Array::Scalar(limit),
                  Array::Scalar(delta)};
    return (*RunOp(*FindOp("Range"), {}, in))[0];
  };
  EXPECT_TRUE(range(INT64_MAX - 2, INT64_MAX, 2)
                  .BitEquals(Array::Vector<int64_t>({INT64_MAX - 2})));
  Array wide = range(INT64_MIN, INT64_MAX, int64_t{1} << 60);
  ASSERT_EQ(wide.num_elements(), 16);
  EXPECT_EQ(wide.data<int64_t>()[15], INT64_MAX - (int64_t{1} << 60) + 1);
  EXPECT_TRUE(range(INT64_MAX, INT64_MIN, INT64_MIN)
                  .BitEquals(Array::Vector<int64_t>({INT64_MAX, -1})));
}

TEST(IntegerOps, MatMulWraps) {
  Array in[] = {Array::Of<int32_t>({1, 2}, {INT32_MAX, 1}),
                Array::Of<int32_t>({2, 1}, {1, 1})};
  Array y = (*RunOp(*FindOp("MatMul"), {}, in))[0];
  EXPECT_EQ(y.data<int32_t>()[0], INT32_MIN);
}

}  // namespace
}  // namespace sluice
