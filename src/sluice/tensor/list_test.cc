#include "sluice/tensor/list.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

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

// Traversals recurse; destruction does not.
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

// Every intermediate list is still held; each element is copied a few times,
// not once for every element behind it.
TEST(List, AppendingToListsThatOthersSeeIsLinear) {
  constexpr int64_t kSize = 20'000;
  std::vector<Array> seen{NewList(DType::kI32)};
  int64_t before = ListValue::elements_copied();
  for (int32_t i = 0; i < kSize; ++i) {
    Array last = seen.back();
    Array next = *WritableList(last);
    ASSERT_TRUE(ListOf(next)->Append(Array::Scalar(i)).ok());
    seen.push_back(next);
  }
  EXPECT_LT(ListValue::elements_copied() - before, 4 * kSize);
  for (size_t i = 0; i < seen.size(); i += 1000) {
    const ListValue& list = *ListOf(seen[i]);
    ASSERT_EQ(list.size(), static_cast<int64_t>(i));
    if (i > 0) {
      EXPECT_EQ(list.at(list.size() - 1).data<int32_t>()[0],
                static_cast<int32_t>(i) - 1);
    }
  }
}

TEST(List, PoppingListsThatOthersSeeIsLinear) {
  constexpr int32_t kSize = 20'000;
  Array first = NewList(DType::kI32);
  for (int32_t i = 0; i < kSize; ++i) {
    ASSERT_TRUE(ListOf(first)->Append(Array::Scalar(i)).ok());
  }
  std::vector<Array> seen{first};
  int64_t before = ListValue::elements_copied();
  for (int64_t size = kSize - 1; size >= 0; --size) {
    Array next = *WritableList(Array(seen.back()));
    ASSERT_TRUE(ListOf(next)->Resize(size).ok());
    seen.push_back(next);
  }
  EXPECT_LT(ListValue::elements_copied() - before, 2 * kSize);
  for (size_t i = 0; i < seen.size(); i += 1000) {
    const ListValue& list = *ListOf(seen[i]);
    ASSERT_EQ(list.size(), kSize - static_cast<int64_t>(i));
    if (list.size() == 0) continue;
    EXPECT_EQ(list.at(list.size() - 1).data<int32_t>()[0],
              static_cast<int32_t>(list.size()) - 1);
  }
}

TEST(List, ShortElementsOfOneShapeLieSideBySide) {
  Array a = NewList(DType::kF32);
  ListValue& list = *ListOf(a);
  EXPECT_FALSE(list.holds_copies());
  for (int i = 0; i < 100; ++i) {
    Array element = Array::Vector<float>({1.0f * i, 2.0f * i});
    ASSERT_TRUE(list.WouldCopy(element));
    ASSERT_TRUE(list.Append(element).ok());
    element.mutable_data<float>()[0] = -1;  // elements are copies
  }
  ASSERT_TRUE(list.holds_copies());
  EXPECT_EQ(list.element_bytes(), 8);
  EXPECT_EQ(list.element_shape(), Shape({2}));
  const auto* all = reinterpret_cast<const float*>(list.SideBySide());
  ASSERT_NE(all, nullptr);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(all[2 * i], 1.0f * i);
    EXPECT_EQ(all[2 * i + 1], 2.0f * i);
  }
  Array read = list.at(7);
  list.Set(7, Array::Vector<float>({5, 6}));
  EXPECT_EQ(read.data<float>()[0], 7.0f) << "what was read stays";
  list.Take(3);
  EXPECT_EQ(list.SideBySide(), nullptr) << "one is not there";
  EXPECT_FALSE(list.there(3));
  EXPECT_FALSE(list.at(3));
}

TEST(List, AStridedElementIsCopiedDense) {
  Array a = NewList(DType::kI32), b = NewList(DType::kI32);
  Array two = Array::Of<int32_t>({2, 2}, {1, 2, 3, 4});
  ASSERT_TRUE(ListOf(a)->Append(Array::View(two, 1, {2}, {2})).ok());
  EXPECT_TRUE(ListOf(a)->at(0).BitEquals(Array::Vector<int32_t>({2, 4})));
  EXPECT_FALSE(ListOf(b)->CanTakeRows(Array::View(two, 0, {2, 2}, {1, 2})));
  ASSERT_TRUE(ListOf(b)->CanTakeRows(two));
  ASSERT_TRUE(ListOf(b)->TakeRows(two, {2}).ok());
  EXPECT_TRUE(ListOf(b)->at(1).BitEquals(Array::Vector<int32_t>({3, 4})));
}

// Long or missing elements, and elements of several shapes, are stored as
// arrays.
TEST(List, OtherElementsAreHeldAsTheyAre) {
  Array a = NewList(DType::kF32), b = NewList(DType::kF32),
        c = NewList(DType::kF32);
  Array long_one = Array::Zeros(DType::kF32, {1000});
  ASSERT_TRUE(ListOf(a)->Append(long_one).ok());
  EXPECT_FALSE(ListOf(a)->holds_copies());
  EXPECT_EQ(ListOf(a)->at(0).address(), long_one.address());

  Array later = Array::Scalar(1.0f);
  ListOf(b)->HoldArrays();
  ASSERT_TRUE(ListOf(b)->Append(later).ok());
  later.mutable_data<float>()[0] = 2;
  EXPECT_EQ(*ListOf(b)->at(0).data<float>(), 2.0f);

  ListValue& list = *ListOf(c);
  ASSERT_TRUE(list.Append(Array::Scalar(3.0f)).ok());
  ASSERT_TRUE(list.Resize(3).ok());
  EXPECT_EQ(list.ElementShape(), PartialShape::Scalar());
  list.Set(2, long_one);
  EXPECT_FALSE(list.holds_copies());
  EXPECT_EQ(*list.at(0).data<float>(), 3.0f);
  EXPECT_FALSE(list.there(1));
  EXPECT_EQ(list.at(2).address(), long_one.address());
  EXPECT_EQ(list.ElementShape(), PartialShape());
}

// Lists that share memory, written in all possible orders: each behaves as if
// it were unshared. Compared with plain vectors. Most elements fit the slab;
// occasionally one does not.
TEST(List, SharedMemoryIsSeenByNobody) {
  std::mt19937 random(7);
  constexpr int32_t kEmpty = -1;
  // The last digits select the kind.
  auto element = [](int32_t round) {
    if (round % 1000 == 7) return Array::Of<int32_t>({2}, {round, 0});
    if (round % 1000 != 9) return Array::Scalar(round);
    Array row = Array::Zeros(DType::kI32, {500});
    row.mutable_data<int32_t>()[0] = round;
    return row;
  };
  int side_by_side = 0, held = 0;
  std::vector<Array> lists{NewList(DType::kI32)};
  std::vector<std::vector<int32_t>> models(1);
  for (int32_t round = 0; round < 20'000; ++round) {
    size_t k = random() % lists.size();
    if (lists.size() < 12 && random() % 3 == 0) {
      lists.push_back(lists[k]);  // one more holder
      models.push_back(models[k]);
      continue;
    }
    if (lists.size() > 6 && random() % 8 == 0) {
      lists.erase(lists.begin() + static_cast<ptrdiff_t>(k));
      models.erase(models.begin() + static_cast<ptrdiff_t>(k));
      continue;
    }
    lists[k] = *WritableList(lists[k]);
    ListValue& list = *ListOf(lists[k]);
    std::vector<int32_t>& model = models[k];
    size_t at = model.empty() ? 0 : random() % model.size();
    auto i = static_cast<int64_t>(at);
    switch (model.empty() ? 0 : random() % 8) {
      case 4:
        list.Set(i, element(round));
        model[at] = round;
        break;
      case 5:
        (void)list.Take(i);
        model[at] = kEmpty;
        break;
      case 6:
        ASSERT_TRUE(list.Resize(i).ok());
        model.resize(at);
        break;
      case 7:
        ASSERT_TRUE(list.Resize(list.size() + 2).ok());
        model.resize(model.size() + 2, kEmpty);
        break;
      default:
        ASSERT_TRUE(list.Append(element(round)).ok());
        model.push_back(round);
    }
    for (size_t l = 0; l < lists.size(); ++l) {
      const ListValue& got = *ListOf(lists[l]);
      ASSERT_EQ(got.size(), static_cast<int64_t>(models[l].size()));
      for (size_t e = 0; e < models[l].size(); ++e) {
        Array at = got.at(static_cast<int64_t>(e));
        ASSERT_EQ(at ? at.data<int32_t>()[0] : kEmpty, models[l][e])
            << "list " << l << ", element " << e << ", round " << round;
        if (!at) continue;
        ASSERT_EQ(at.shape(), element(models[l][e]).shape());
        ++(got.holds_copies() ? side_by_side : held);
      }
    }
    // Otherwise all lists would soon be stored as arrays.
    if (round % 100 == 99) {
      lists.push_back(NewList(DType::kI32));
      models.emplace_back();
    }
  }
  EXPECT_GT(side_by_side, 10'000);
  EXPECT_GT(held, 10'000);
}

}  // namespace
}  // namespace sluice
