#include "sluice/tensor/list.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

Array NewList(DType dtype, PartialShape shape = {}) {
  return ListArray(MakeRef<ListValue>(dtype, std::move(shape)));
}

TEST(List, DescribesWhatItHolds) {
  Array a = NewList(DType::kF32);
  EXPECT_EQ(a.ToString(), "list of 0 f32[...]");
  ASSERT_TRUE(ListOf(a)->Append(Array::Zeros(DType::kF32, {2})).ok());
  ASSERT_TRUE(ListOf(a)->Resize(3).ok());
  EXPECT_EQ(a.ToString(), "list of 3 f32[2]");
  ListOf(a)->Set(1, Array::Zeros(DType::kF32, {3}));
  EXPECT_EQ(a.ToString(), "list of 3 f32[...]");
  EXPECT_EQ(a.TypeText(), "list[]");
}

TEST(List, IsNoOtherArray) {
  EXPECT_EQ(ListOf(Array()), nullptr);
  EXPECT_EQ(ListOf(Array::Scalar(1.0f)), nullptr);
  EXPECT_EQ(ListOf(Array::Zeros(DType::kList, {})), nullptr);
  EXPECT_EQ(ListOf(Array::Zeros(DType::kList, {2})), nullptr);
}

TEST(List, EqualsByElements) {
  Array a = NewList(DType::kI32), b = NewList(DType::kI32, {2});
  EXPECT_TRUE(a.BitEquals(b));
  ASSERT_TRUE(ListOf(a)->Append(Array::Vector<int32_t>({1, 2})).ok());
  EXPECT_FALSE(a.BitEquals(b));
  ASSERT_TRUE(ListOf(b)->Resize(1).ok());
  EXPECT_FALSE(a.BitEquals(b)) << "one is not written";
  ListOf(b)->Set(0, Array::Vector<int32_t>({1, 3}));
  EXPECT_FALSE(a.BitEquals(b));
  ListOf(b)->Set(0, Array::Vector<int32_t>({1, 2}));
  EXPECT_TRUE(a.BitEquals(b));
  EXPECT_FALSE(NewList(DType::kF32).BitEquals(NewList(DType::kI32)));
}

TEST(List, IsWrittenWhereItLiesOnlyWhenNobodyElseSeesIt) {
  int64_t before = ListValue::copies();
  Array a = NewList(DType::kI32);
  ListValue* list = ListOf(a);
  EXPECT_EQ(ListOf(*WritableList(a)), list);
  EXPECT_EQ(ListValue::copies(), before);

  Array other = a;  // the array is shared
  Array copy = *WritableList(a);
  EXPECT_NE(ListOf(copy), list);
  ASSERT_TRUE(ListOf(copy)->Append(Array::Scalar<int32_t>(7)).ok());
  EXPECT_EQ(ListOf(other)->size(), 0);
  other = Array();

  Array handle = *a.Clone();  // the array is not, the list is
  EXPECT_EQ(ListOf(handle), list);
  EXPECT_NE(ListOf(*WritableList(a)), list);
  EXPECT_EQ(ListValue::copies(), before + 2);
}

TEST(List, ChecksElements) {
  Array a = NewList(DType::kF32, {any, 3});
  EXPECT_TRUE(ListOf(a)->CheckElement(Array::Zeros(DType::kF32, {2, 3})).ok());
  EXPECT_EQ(
      ListOf(a)->CheckElement(Array::Zeros(DType::kF32, {2, 4})).message(),
      "the element is f32[2,4]; wanted f32[?,3] as the list holds");
  EXPECT_EQ(ListOf(a)->CheckElement(Array::Scalar<int64_t>(1)).message(),
            "the element is i64[]; wanted f32[?,3] as the list holds");
}

TEST(List, RefusesMoreThanMemoryHolds) {
  Array a = NewList(DType::kF32);
  EXPECT_EQ(ListOf(a)->Resize(kMaxListSize + 1).code(),
            Code::kResourceExhausted);
  EXPECT_EQ(ListOf(a)->size(), 0);
}

// Whatever looks through them calls itself; their end does not.
TEST(List, RefusesToNestTooDeep) {
  Array inner = NewList(DType::kF32);
  int depth = 1;
  for (;; ++depth) {
    Array outer = NewList(DType::kList);
    if (!ListOf(outer)->CheckElement(inner).ok()) break;
    ASSERT_TRUE(ListOf(outer)->Append(inner).ok());
    ASSERT_EQ(ListOf(outer)->depth(), depth + 1);
    inner = outer;
    ASSERT_LE(depth, kMaxListDepth);
  }
  EXPECT_EQ(depth, kMaxListDepth);
  EXPECT_EQ(NewList(DType::kList).BitEquals(inner), false);
}

TEST(List, RemembersWhatWasTaken) {
  Array a = NewList(DType::kI32);
  ListValue& list = *ListOf(a);
  ASSERT_TRUE(list.Append(Array::Scalar<int32_t>(5)).ok());
  EXPECT_FALSE(list.taken(0));
  EXPECT_EQ(*list.Take(0).data<int32_t>(), 5);
  EXPECT_TRUE(list.taken(0));
  EXPECT_FALSE(list.at(0));
  list.Set(0, Array::Scalar<int32_t>(6));
  EXPECT_FALSE(list.taken(0));
  list.Take(0);
  ASSERT_TRUE(list.Resize(0).ok());
  ASSERT_TRUE(list.Resize(1).ok());
  EXPECT_FALSE(list.taken(0)) << "a new place";
}

}  // namespace
}  // namespace sluice
