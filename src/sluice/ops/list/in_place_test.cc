// A list that nobody else sees is written in place; any other is not changed.
// Measured in copies of the list, not in time.
#include "sluice/ops/list/list_ops_test_util.h"

namespace sluice {
namespace {

TEST_F(ListOps, TenThousandAppendsAndSetsCopyNothing) {
  std::vector<Array> in, out{NewList(DType::kF32)};
  Array x = F(3);
  int64_t before = ListValue::copies();
  for (int64_t i = 0; i < 10'000; ++i) {
    in = {std::move(out[0]), x};
    ASSERT_TRUE(Give("ListAppend", in, out).ok());
  }
  for (int64_t i = 0; i < 10'000; ++i) {
    in = {std::move(out[0]), I(i), x};
    ASSERT_TRUE(Give("ListSet", in, out).ok());
  }
  EXPECT_EQ(ListValue::copies(), before);
  EXPECT_EQ(ListOf(out[0])->size(), 10'000);
}

TEST_F(ListOps, AListReadElsewhereIsNotChanged) {
  Array shared = Floats({1, 2});
  int64_t before = ListValue::copies();
  std::vector<Array> in{shared, F(3)}, out;
  ASSERT_TRUE(Give("ListAppend", in, out).ok());
  EXPECT_EQ(ListValue::copies(), before + 1);
  EXPECT_EQ(ListOf(shared)->size(), 2);
  in = {shared, I(0), F(9)};
  ASSERT_TRUE(Give("ListSet", in, out).ok());
  EXPECT_EQ(*Get(shared, 0).data<float>(), 1);
  EXPECT_EQ(*Get(out[0], 0).data<float>(), 9);
  EXPECT_TRUE(Get(shared, 1).BitEquals(Get(out[0], 1)));
  // Long elements are not copied.
  shared = Run("ListUnstack", {Array::Zeros(DType::kF32, {2, 100})});
  in = {shared, I(0), Array::Zeros(DType::kF32, {100})};
  ASSERT_TRUE(Give("ListSet", in, out).ok());
  EXPECT_EQ(Get(shared, 1).raw(), Get(out[0], 1).raw());
}

TEST_F(ListOps, AListAppendedToItselfIsCopied) {
  Array list = NewList(DType::kList);
  list = Run("ListAppend", {list, Floats({1})});
  std::vector<Array> in{list, list}, out;
  list = Array();
  ASSERT_TRUE(Give("ListAppend", in, out).ok());
  ASSERT_EQ(ListOf(out[0])->size(), 2);
  EXPECT_EQ(ListOf(ListOf(out[0])->at(1))->size(), 1);
}

TEST_F(ListOps, ARefusedWriteChangesNothing) {
  Array list = Floats({1, 2});
  const ListValue* value = ListOf(list);
  Array hold = Get(list, 0);
  std::vector<Array> in{std::move(list), I(-1), F(3)}, out;
  std::vector<Array> kept{in[0]};
  EXPECT_FALSE(Give("ListSet", in, out).ok());
  EXPECT_EQ(value->size(), 2);
  in = {std::move(kept[0]), I(0)};
  EXPECT_FALSE(Give("ListAppend", in, out).ok()) << "an integer";
}

}  // namespace
}  // namespace sluice
