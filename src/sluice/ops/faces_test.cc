// Every SL_FACE and SL_AUTOCAST is of an op that users call by a function.
#include <gtest/gtest.h>

#include "sluice/op/autocast_rule.h"
#include "sluice/op/face.h"
#include "sluice/op/op_function.h"
#include "sluice/op/registry.h"

namespace sluice {
namespace {

TEST(Faces, BelongToOpsWithAFunction) {
  std::vector<std::string_view> names = OpsWithFaces();
  EXPECT_GT(names.size(), 50u);
  for (std::string_view name : names) {
    const OpRecord* op = FindOp(name);
    ASSERT_TRUE(op) << name;
    EXPECT_TRUE(HasFunction(*op)) << name;
    if (FaceOf(name).is_method()) {
      EXPECT_TRUE(!op->inputs.empty() && !op->inputs[0].list) << name;
    }
  }
  EXPECT_FALSE(FaceOf("Softmax").is_method());
}

TEST(AutocastRules, BelongToOpsWithAFunction) {
  std::vector<std::string_view> names = OpsWithAutocastRules();
  EXPECT_GT(names.size(), 50u);
  for (std::string_view name : names) {
    const OpRecord* op = FindOp(name);
    ASSERT_TRUE(op) << name;
    EXPECT_TRUE(HasFunction(*op)) << name;
  }
  EXPECT_EQ(AutocastRuleOf("MatMul"), AutocastRule::kLow);
  EXPECT_EQ(AutocastRuleOf("Softmax"), AutocastRule::kF32);
  EXPECT_EQ(AutocastRuleOf("BatchNorm"), AutocastRule::kFirst);
  EXPECT_EQ(AutocastRuleOf("Relu"), AutocastRule::kAsGiven);
}

}  // namespace
}  // namespace sluice
