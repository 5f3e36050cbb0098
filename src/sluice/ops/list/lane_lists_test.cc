// Lists of lanes: each lane has its own.
#include "sluice/ops/list/list_ops_test_util.h"

namespace sluice {
namespace {

class LaneLists : public ListOps {
 protected:
  static Array Ints(std::vector<int64_t> values) {
    return Array::Vector(std::span<const int64_t>(values));
  }
  // Two lanes with elements 1, 3, 5 and 2, 4, 6.
  static Array TwoLanes() {
    Array list = NewList(DType::kF32);
    for (float f : {1.0f, 3.0f, 5.0f}) {
      list = Run("ListAppend", {list, Array::Vector<float>({f, f + 1})});
    }
    return Run("ListLanes", {list, I(2)});
  }
  static Array At(const Array& lists, std::vector<int64_t> index) {
    return Run("ListGetLanes", {lists, Ints(std::move(index))},
               {{"dtype", DType::kF32}});
  }
};

TEST_F(LaneLists, ElementsWithLanesBecomeAListForEach) {
  Array lists = TwoLanes();
  EXPECT_TRUE(At(lists, {0, 2}).BitEquals(Array::Vector<float>({1, 6})));
  EXPECT_TRUE(Run("ListSizeLanes", {lists}).BitEquals(Ints({3, 3})));
  EXPECT_EQ(ErrorOf("ListLanes",
                    {Run("ListAppend", {NewList(DType::kF32), F(1)}), I(2)}),
            "[ListLanes] element 0 is f32[]; wanted 2 slices, one for each "
            "lane");
}

TEST_F(LaneLists, LanesArePickedJoinedAndGrowApart) {
  Array lists = TwoLanes();
  Array second = Run("ListSelect", {lists, Ints({1})});
  second = Run("ListAppendLanes", {second, Array::Vector<float>({8})});
  Array both =
      Run("ListExtend", {Run("ListSelect", {lists, Ints({0})}), second});
  EXPECT_TRUE(Run("ListSizeLanes", {both}).BitEquals(Ints({3, 4})));
  EXPECT_TRUE(At(both, {1, 3}).BitEquals(Array::Vector<float>({3, 8})));
  // The source list is unchanged.
  EXPECT_TRUE(Run("ListSizeLanes", {lists}).BitEquals(Ints({3, 3})));
  EXPECT_EQ(
      ErrorOf("ListGetLanes", {both, Ints({3, 3})}, {{"dtype", DType::kF32}}),
      "[ListGetLanes] index is 3; wanted 0 <= index < 3, the size of the "
      "list");
}

TEST_F(LaneLists, GradientsAreAddedWhereEachLaneSays) {
  Array none = Run("ListZero", {});
  Array lists =
      Run("ListAddLanes", {none, Ints({1, 0}), Array::Vector<float>({2, 3})});
  lists =
      Run("ListAddLanes", {lists, Ints({1, 1}), Array::Vector<float>({5, 7})});
  auto get = [&](std::vector<int64_t> index) {
    return Run("ListGetLanesOr", {lists, Ints(std::move(index)), Ints({2})},
               {{"dtype", DType::kF32}});
  };
  EXPECT_TRUE(get({1, 0}).BitEquals(Array::Vector<float>({7, 3})));
  EXPECT_TRUE(get({0, 9}).BitEquals(Array::Vector<float>({0, 0})));
  lists = Run("ListTruncateLanes", {lists, Ints({1, 1})});
  EXPECT_TRUE(get({1, 0}).BitEquals(Array::Vector<float>({0, 3})));
  Array together = Run("ListTogether", {lists, I(2)});
  EXPECT_TRUE(Get(together, 0).BitEquals(Array::Vector<float>({0, 3})));
}

TEST_F(LaneLists, ListsAreAddedToElements) {
  Array lists = TwoLanes();
  Array sum = Run("ListAddFrom", {Run("ListZero", {}), Ints({0, 0}), lists});
  Array one = Run("ListGet", {sum, I(0)},
                  {{"dtype", DType::kList}, {"shape", PartialShape::Scalar()}});
  EXPECT_EQ(*Get(one, 0).data<float>(), 3);
  EXPECT_EQ(*Get(one, 2).data<float>(), 11);
}

TEST_F(LaneLists, WhatALaneDoesNotReadIsZerosBesideTheOthers) {
  Array nothing =
      Array::Zeros(DType::kF32, *Shape::Make(std::vector<int64_t>(7, 0)));
  Array first = Run("ListAppend", {NewList(DType::kF32), nothing});
  Array second =
      Run("ListAppend", {NewList(DType::kF32), Array::Vector<float>({4, 5})});
  Array lists = NewList(DType::kList);
  lists = Run("ListAppend", {Run("ListAppend", {lists, first}), second});
  Array got = At(lists, {0, 0});
  ASSERT_EQ(got.TypeText(), "f32[2,2]");
  EXPECT_EQ(std::vector<float>(got.data<float>(), got.data<float>() + 4),
            (std::vector<float>{0, 0, 4, 5}));
  Array third = Run("ListAppend", {NewList(DType::kF32), F(1)});
  EXPECT_EQ(ErrorOf("ListGetLanes",
                    {Run("ListAppend", {lists, third}), Ints({0, 0, 0})},
                    {{"dtype", DType::kF32}}),
            "[ListGetLanes] an element of lane 2 is f32[]; wanted f32[2] as of "
            "others");
}

}  // namespace
}  // namespace sluice
