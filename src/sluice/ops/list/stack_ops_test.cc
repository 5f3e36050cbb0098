// Stacks: last in, first out; refusals give the reason.
#include "sluice/ops/list/list_ops_test_util.h"

namespace sluice {
namespace {

class StackOps : public ListOps {
 protected:
  static Array New(DType dtype, int64_t max_size = -1) {
    return Run("StepStack", {},
               {{"dtype", dtype}, {"max_size", max_size}, {"label", "s"}});
  }
};

TEST_F(StackOps, LastInFirstOut) {
  Array s = New(DType::kF32);
  EXPECT_EQ(s.ToString(), "stack of f32");
  EXPECT_EQ(*Run("StackPush", {s, F(1)}).data<float>(), 1);
  Run("StackPush", {s, Array::Vector<float>({2, 3})});
  EXPECT_TRUE(
      Run("StackPop", {s}, OfFloats()).BitEquals(Array::Vector<float>({2, 3})));
  EXPECT_EQ(*Run("StackPop", {s}, OfFloats()).data<float>(), 1);
  EXPECT_EQ(ErrorOf("StackPop", {s}, OfFloats()),
            "[StackPop] stack \"s\" is empty; wanted a value pushed before");
}

TEST_F(StackOps, HoldsListsAndStrings) {
  Array s = New(DType::kList);
  Run("StackPush", {s, Floats({1, 2})});
  EXPECT_TRUE(Run("StackPop", {s}, {{"dtype", DType::kList}})
                  .BitEquals(Floats({1, 2})));
  Array t = New(DType::kString);
  Run("StackPush", {t, Array::Scalar<std::string>("x")});
  EXPECT_TRUE(Run("StackPop", {t}, {{"dtype", DType::kString}})
                  .BitEquals(Array::Scalar<std::string>("x")));
}

TEST_F(StackOps, RefusesTypesShapesAndOverflow) {
  Array s = New(DType::kF32, 1);
  EXPECT_EQ(ErrorOf("StackPush", {s, I(1)}),
            "[StackPush] the value is i64[]; wanted f32 as stack \"s\" holds");
  EXPECT_EQ(ErrorOf("StackPop", {s}, {{"dtype", DType::kI64}}),
            "[StackPop] handle is a stack of f32; wanted i64 as the attribute "
            "dtype says");
  Run("StackPush", {s, F(1)});
  EXPECT_EQ(ErrorOf("StackPush", {s, F(2)}),
            "[StackPush] stack \"s\" holds 1 values and is full; wanted at "
            "most 1");
  EXPECT_EQ(ErrorOf("StackPop", {s},
                    {{"dtype", DType::kF32}, {"shape", PartialShape{2}}}),
            "[StackPop] the value is f32[]; wanted f32[2]");
}

TEST_F(StackOps, NothingGoesInOrOutWhenClosed) {
  Array s = New(DType::kF32);
  Array x = F(1);
  Run("StackPush", {s, x});
  EXPECT_FALSE(x.unique());
  RunAll("StackClose", {s});
  EXPECT_TRUE(x.unique()) << "what it held is gone";
  EXPECT_EQ(ErrorOf("StackPush", {s, x}), "[StackPush] stack \"s\" is closed");
  EXPECT_EQ(ErrorOf("StackPop", {s}, OfFloats()),
            "[StackPop] stack \"s\" is closed");
  RunAll("StackClose", {s});
}

TEST_F(StackOps, GoesWithItsLastHolder) {
  Array x = F(1);
  {
    Array s = New(DType::kF32);
    Run("StackPush", {s, x});
    EXPECT_FALSE(x.unique());
  }
  EXPECT_TRUE(x.unique());
}

TEST_F(StackOps, AreMadeInTheStepAndNeverMerged) {
  EXPECT_FALSE(FindOp("StepStack")->handle);
  EXPECT_FALSE(FindOp("StepStack")->pure());
  EXPECT_EQ(FindOp("StackPush")->effect, Effect::kWrite);
  EXPECT_EQ(FindOp("StackPop")->effect, Effect::kWrite);
}

}  // namespace
}  // namespace sluice
