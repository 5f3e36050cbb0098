#include <limits>
#include <thread>

#include "sluice/base/worker_pool.h"
#include "sluice/ops/state/state_ops_test_util.h"

namespace sluice {
namespace {

class ScatterOps : public StateOps {
 protected:
  // A variable of three rows of two: 1 2, 3 4, 5 6.
  void SetUp() override {
    StateOps::SetUp();
    w_ = Handle("Variable",
                {{"dtype", DType::kF32}, {"shape", PartialShape({3, 2})}}, "w");
    ASSERT_TRUE(
        Run("Assign", {w_, Array::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6})}).ok());
  }
  Array Value() {
    return (*Run("ReadVariable", {w_}, {{"dtype", DType::kF32}}))[0];
  }
  void ExpectValue(std::initializer_list<float> v) {
    Array value = Value();
    EXPECT_TRUE(value.BitEquals(Array::Of<float>({3, 2}, v)))
        << value.ToString();
  }
  static Array Rows(std::initializer_list<int64_t> v) {
    return Array::Vector<int64_t>(v);
  }
  Array w_;
};

TEST_F(ScatterOps, ChangeRowsInOrder) {
  Array twice = Array::Of<float>({3, 2}, {10, 20, 1, 1, 2, 2});
  ASSERT_TRUE(Run("ScatterUpdate", {w_, Rows({2, 0, 2}), twice}).ok());
  ExpectValue({1, 1, 3, 4, 2, 2});
  ASSERT_TRUE(Run("ScatterAdd", {w_, Rows({2, 0, 2}), twice}).ok());
  ExpectValue({2, 2, 3, 4, 14, 24});
  ASSERT_TRUE(Run("ScatterSub", {w_, Rows({1, 1, 0}), twice}).ok());
  ExpectValue({0, 0, -8, -17, 14, 24});
  ASSERT_TRUE(Run("ScatterMin", {w_, Rows({2, 0, 2}), twice}).ok());
  ExpectValue({0, 0, -8, -17, 2, 2});
  ASSERT_TRUE(Run("ScatterMax", {w_, Rows({1, 0, 1}), twice}).ok());
  ExpectValue({1, 1, 10, 20, 2, 2});
  EXPECT_EQ((*Run("VariableVersion", {w_}))[0].data<int64_t>()[0], 6);
}

TEST_F(ScatterOps, OneRowForAllIndices) {
  Array row = Array::Vector<float>({10, 20});
  ASSERT_TRUE(
      Run("ScatterAdd", {w_, Array::Vector<int32_t>({0, 2, 0}), row}).ok());
  ExpectValue({21, 42, 3, 4, 15, 26});
  // An index of any rank; here one.
  ASSERT_TRUE(Run("ScatterUpdate", {w_, Array::Scalar<int64_t>(1), row}).ok());
  ExpectValue({21, 42, 10, 20, 15, 26});
}

TEST_F(ScatterOps, InPlaceUnlessSomebodyReads) {
  const void* before;
  {
    Array held = Value();
    before = held.raw();
    ASSERT_TRUE(
        Run("ScatterAdd", {w_, Rows({0}), Array::Of<float>({1, 2}, {9, 9})})
            .ok());
    EXPECT_TRUE(held.BitEquals(Array::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6})));
  }
  ExpectValue({10, 11, 3, 4, 5, 6});
  EXPECT_NE(Value().raw(), before);
  before = Value().raw();
  ASSERT_TRUE(
      Run("ScatterAdd", {w_, Rows({0}), Array::Of<float>({1, 2}, {1, 1})})
          .ok());
  EXPECT_EQ(Value().raw(), before);
  ExpectValue({11, 12, 3, 4, 5, 6});
}

TEST_F(ScatterOps, RefuseBeforeWriting) {
  Array two = Array::Zeros(DType::kF32, {2, 2});
  for (const char* op : {"ScatterUpdate", "ScatterAdd", "ScatterSub",
                         "ScatterMin", "ScatterMax"}) {
    auto refuse = [&](const Array& rows, const Array& updates,
                      const std::string& message) {
      ExpectError(RunStatus(op, {w_, rows, updates}), Code::kInvalidArgument,
                  "[" + std::string(op) + "] " + message);
    };
    refuse(Rows({0, 3}), two, "indices[1] is 3; wanted 0 <= index < 3");
    refuse(Rows({-1, 0}), two, "indices[0] is -1; wanted 0 <= index < 3");
    refuse(Rows({0, INT64_MIN}), two, "indices[1] is -9223372036854775808");
    refuse(Array::Vector<int32_t>({0, INT32_MAX}), two,
           "indices[1] is 2147483647");
    refuse(Rows({0}), two, "updates is f32[2,2]; wanted shape [1,2] or [2]");
    refuse(Rows({0, 1}), Array::Zeros(DType::kF64, {2, 2}),
           "updates is f64[2,2]; wanted f32 as the variable");
  }
  ExpectValue({1, 2, 3, 4, 5, 6});
  EXPECT_EQ((*Run("VariableVersion", {w_}))[0].data<int64_t>()[0], 1);
}

TEST_F(ScatterOps, RefuseScalarsAndEmptyVariables) {
  Array s = Handle("Variable",
                   {{"dtype", DType::kF32}, {"shape", PartialShape()}}, "s");
  Array u = Array::Vector<float>({1});
  ExpectError(RunStatus("ScatterAdd", {s, Rows({0}), u}),
              Code::kFailedPrecondition,
              "[ScatterAdd] variable \"s\" is not initialised");
  ASSERT_TRUE(Run("Assign", {s, Array::Scalar(1.0f)}).ok());
  ExpectError(RunStatus("ScatterAdd", {s, Rows({0}), u}),
              Code::kInvalidArgument,
              "[ScatterAdd] the variable is f32[]; wanted rank 1 or more");
  ASSERT_TRUE(Run("Assign", {s, Array::Zeros(DType::kF32, {0})}).ok());
  ExpectError(RunStatus("ScatterAdd", {s, Rows({0}), u}),
              Code::kInvalidArgument, "[ScatterAdd] indices[0] is 0; wanted");
  EXPECT_TRUE(
      Run("ScatterAdd", {s, Rows({}), Array::Zeros(DType::kF32, {0})}).ok());
}

TEST_F(ScatterOps, MinimaPassNaNOn) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  ASSERT_TRUE(Run("ScatterMin",
                  {w_, Rows({0, 0}), Array::Of<float>({2, 2}, {nan, 0, 1, 1})})
                  .ok());
  ExpectValue({nan, 0, 3, 4, 5, 6});
}

}  // namespace
}  // namespace sluice
