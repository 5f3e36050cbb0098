// Save and Restore through their records.
#include "sluice/base/file.h"
#include "sluice/base/temp_folder_test_util.h"
#include "sluice/ops/state/state_ops_test_util.h"

namespace sluice {
namespace {

class SaveRestore : public StateOps {
 protected:
  static Array Text(std::string text) { return Array::Scalar(std::move(text)); }
  static Array Names(std::initializer_list<std::string> names) {
    return Array::Vector<std::string>(names);
  }
  Result<Array> Restore(const char* name, DType dtype,
                        PartialShape shape = {}) {
    Attrs attrs{{"dtype", dtype}, {"shape", shape}};
    auto made = Run("Restore", {Text(path_), Text(name)}, attrs);
    if (!made.ok()) return made.status();
    return (*made)[0];
  }
  TempFolder folder_;
  std::string path_ = folder_ / "x.safetensors";
};

TEST_F(SaveRestore, ThereAndBack) {
  Array a = Array::Of<float>({2, 2}, {1, 2, 3, 4});
  Array b = Array::Scalar<int64_t>(5);
  ASSERT_TRUE(Run("Save", {Text(path_), Names({"a", "b"}), a, b}).ok());
  EXPECT_TRUE(Restore("a", DType::kF32)->BitEquals(a));
  EXPECT_TRUE(Restore("a", DType::kF32, {2, any})->BitEquals(a));
  EXPECT_TRUE(Restore("b", DType::kI64, Shape())->BitEquals(b));
  EXPECT_EQ(NamesIn(folder_.path())->size(), 1u);
}

TEST_F(SaveRestore, WhatDoesNotFitIsNamed) {
  Array a = Array::Vector<float>({1, 2});
  ASSERT_TRUE(Run("Save", {Text(path_), Names({"a"}), a}).ok());
  std::string file = "\"" + path_ + "\"";
  ExpectError(Restore("b", DType::kF32).status(), Code::kNotFound,
              "[Restore] " + file + " has no tensor \"b\" among its 1");
  ExpectError(
      Restore("a", DType::kI32).status(), Code::kInvalidArgument,
      "[Restore] tensor \"a\" of " + file + " is f32[2]; wanted i32[...]");
  ExpectError(
      Restore("a", DType::kF32, {3}).status(), Code::kInvalidArgument,
      "[Restore] tensor \"a\" of " + file + " is f32[2]; wanted f32[3]");
  // A save that fails leaves the file as it was.
  ExpectError(RunStatus("Save", {Text(path_), Names({"a", "a"}), a, a}),
              Code::kInvalidArgument, "two tensors have the name \"a\"");
  EXPECT_TRUE(Restore("a", DType::kF32)->BitEquals(a));
  ASSERT_TRUE(WriteFileBytes(path_, "nonsense", false).ok());
  EXPECT_EQ(Restore("a", DType::kF32).status().code(), Code::kDataLoss);
}

// Sizes may be unknown until a step feeds them.
TEST_F(SaveRestore, EmptyTextsAreNotRead) {
  Array none = Array::Zeros(DType::kString, {0});
  Attrs attrs{{"dtype", DType::kF32}};
  ExpectError(RunStatus("Restore", {none, Text("a")}, attrs),
              Code::kInvalidArgument,
              "[Restore] path is string[0]; wanted rank 0");
  ExpectError(RunStatus("Restore", {Text(path_), none}, attrs),
              Code::kInvalidArgument,
              "[Restore] name is string[0]; wanted rank 0");
  Array one = Array::Scalar<float>(1);
  EXPECT_FALSE(Run("Save", {none, Names({"a"}), one}).ok());
  EXPECT_FALSE(Run("Save", {Text(path_), none, one}).ok());
  EXPECT_EQ(NamesIn(folder_.path())->size(), 0u);
}

}  // namespace
}  // namespace sluice
