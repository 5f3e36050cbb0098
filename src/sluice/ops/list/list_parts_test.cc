// Ops that split lists and join them: pop, take, gather, scatter, concat,
// split, resize, reserve, zeros, write all.
#include "sluice/ops/list/list_ops_test_util.h"

namespace sluice {
namespace {

TEST_F(ListOps, PopGivesTheLastElementAndTheRest) {
  std::vector<Array> out = RunAll("ListPop", {Floats({1, 2, 3})}, OfFloats());
  EXPECT_TRUE(out[0].BitEquals(Floats({1, 2})));
  EXPECT_EQ(*out[1].data<float>(), 3);
  EXPECT_EQ(ErrorOf("ListPop", {NewList(DType::kF32)}, OfFloats()),
            "[ListPop] the list is empty; wanted at least one element");
  Array unwritten = NewList(DType::kF32, PartialShape{2}, 1);
  EXPECT_TRUE(RunAll("ListPop", {unwritten}, OfFloats())[1].BitEquals(
      Array::Zeros(DType::kF32, {2})));
}

TEST_F(ListOps, WhatIsPoppedOffAListOfOnesOwnHasNoOtherHolder) {
  std::vector<Array> in{NewList(DType::kF32), F(1)}, out;
  ASSERT_TRUE(Give("ListAppend", in, out).ok());
  int64_t before = ListValue::copies();
  in = {std::move(out[0])};
  ASSERT_TRUE(Give("ListPop", in, out, OfFloats()).ok());
  EXPECT_EQ(ListValue::copies(), before);
  EXPECT_TRUE(out[1].unique()) << "its reader may write over it";
}

TEST_F(ListOps, AnElementIsTakenOnce) {
  Array list = Floats({1, 2});
  std::vector<Array> out = RunAll("ListTake", {list, I(1)}, OfFloats());
  EXPECT_EQ(*out[1].data<float>(), 2);
  const char* again =
      "] element 1 has already been read, and was cleared then; wanted each "
      "element to be read once";
  EXPECT_EQ(ErrorOf("ListTake", {out[0], I(1)}, OfFloats()),
            std::string("[ListTake") + again);
  EXPECT_EQ(ErrorOf("ListGet", {out[0], I(1)}, OfFloats()),
            std::string("[ListGet") + again);
  EXPECT_EQ(ErrorOf("ListStack", {out[0]}, OfFloats()),
            std::string("[ListStack") + again);
  EXPECT_EQ(*Get(list, 1).data<float>(), 2) << "the old list still has it";
  EXPECT_EQ(ErrorOf("ListSet", {out[0], I(1), F(5)}, {{"once", true}}),
            "[ListSet] index 1 has already been read; wanted to write it "
            "before");
  Array again_written = Run("ListSet", {out[0], I(1), F(5)});
  EXPECT_EQ(*Get(again_written, 1).data<float>(), 5);
}

TEST_F(ListOps, WritesOnceRefusesTheSecond) {
  Attrs once{{"once", true}};
  Array list = Run("ListSet", {NewList(DType::kF32, {}, 2), I(1), F(1)}, once);
  EXPECT_EQ(ErrorOf("ListSet", {list, I(1), F(1)}, once),
            "[ListSet] index 1 has already been written to; wanted each index "
            "to be written once");
  EXPECT_EQ(ErrorOf("ListScatter",
                    {list, Array::Vector<int64_t>({0, 1}),
                     Array::Vector<float>({1, 2})},
                    once),
            "[ListScatter] index 1 has already been written to; wanted each "
            "index to be written once");
  EXPECT_EQ(ErrorOf("ListScatter",
                    {list, Array::Vector<int64_t>({0, 0}),
                     Array::Vector<float>({1, 2})},
                    once),
            "[ListScatter] index 0 has already been written to; wanted each "
            "index to be written once");
  EXPECT_EQ(ErrorOf("ListWriteAll", {list, Floats({1, 2})}, once),
            "[ListWriteAll] index 1 has already been written to; wanted each "
            "index to be written once");
}

TEST_F(ListOps, GatherPicksElements) {
  Array list =
      Run("ListUnstack", {Array::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6})});
  Array y =
      Run("ListGather", {list, Array::Vector<int32_t>({2, 0, 2})}, OfFloats());
  EXPECT_TRUE(y.BitEquals(Array::Of<float>({3, 2}, {5, 6, 1, 2, 5, 6})));
  Array none =
      Run("ListGather", {list, Array::Vector<int64_t>({})}, OfFloats());
  EXPECT_EQ(none.TypeText(), "f32[0,2]");
  EXPECT_EQ(
      ErrorOf("ListGather", {list, Array::Vector<int64_t>({0, 3})}, OfFloats()),
      "[ListGather] index is 3; wanted 0 <= index < 3, the size of the list");
  Array holes = NewList(DType::kF32, PartialShape{2}, 2);
  EXPECT_TRUE(
      Run("ListGather", {holes, Array::Vector<int64_t>({1, 0})}, OfFloats())
          .BitEquals(Array::Zeros(DType::kF32, {2, 2})));
}

TEST_F(ListOps, ScatterPutsSlicesInTheirPlaces) {
  Array list =
      Run("ListScatter", {Floats({1}), Array::Vector<int64_t>({2, 0, 2}),
                          Array::Vector<float>({7, 8, 9})});
  EXPECT_TRUE(Run("ListStack", {list}, OfFloats())
                  .BitEquals(Array::Vector<float>({8, 0, 9})))
      << "of two for one place the last counts";
  EXPECT_EQ(ErrorOf("ListScatter",
                    {Floats({1}), Array::Vector<int64_t>({1}),
                     Array::Vector<float>({7})},
                    {{"fixed", true}}),
            "[ListScatter] index is 1; wanted 0 <= index < 1, the size of the "
            "list");
  EXPECT_EQ(ErrorOf("ListScatter", {Floats({1}), Array::Vector<int64_t>({0}),
                                    Array::Vector<int64_t>({7})}),
            "[ListScatter] the element is i64[]; wanted f32[] as the list "
            "holds");
}

TEST_F(ListOps, ConcatAndSplitAreEachOthersInverse) {
  Array x = Array::Of<float>({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  Array lengths = Array::Vector<int64_t>({1, 0, 3});
  Array list = Run("ListSplit", {x, lengths});
  EXPECT_EQ(list.ToString(), "list of 3 f32[?,2]");
  std::vector<Array> out = RunAll("ListConcat", {list}, OfFloats());
  EXPECT_TRUE(out[0].BitEquals(x));
  EXPECT_TRUE(out[1].BitEquals(lengths));
}

TEST_F(ListOps, ConcatSaysWhatDoesNotFit) {
  EXPECT_EQ(ErrorOf("ListConcat", {Floats({1})}, OfFloats()),
            "[ListConcat] the elements are f32[]; wanted rank 1 or more");
  Array mixed = NewList(DType::kF32);
  mixed = Run("ListAppend", {mixed, Array::Zeros(DType::kF32, {2, 3})});
  mixed = Run("ListAppend", {mixed, Array::Zeros(DType::kF32, {2, 4})});
  EXPECT_EQ(ErrorOf("ListConcat", {mixed}, OfFloats()),
            "[ListConcat] element 1 is f32[2,4], element 0 is f32[2,3]; wanted "
            "equal sizes but for the first");
  EXPECT_EQ(ErrorOf("ListConcat", {NewList(DType::kF32)}, OfFloats()),
            "[ListConcat] there are no elements and only f32[...] is known of "
            "their shape; wanted all but the first size");
  EXPECT_EQ(Run("ListConcat", {NewList(DType::kF32, {any, 3})}, OfFloats())
                .TypeText(),
            "f32[0,3]");
  // Never written: zeros if the entire shape is known.
  EXPECT_EQ(Run("ListConcat", {NewList(DType::kF32, {2, 3}, 2)}, OfFloats())
                .TypeText(),
            "f32[4,3]");
}

TEST_F(ListOps, ConcatOfStrings) {
  Array list = NewList(DType::kString);
  list = Run("ListAppend", {list, Array::Vector<std::string>({"a", "b"})});
  list = Run("ListAppend", {list, Array::Vector<std::string>({"c"})});
  EXPECT_TRUE(Run("ListConcat", {list}, {{"dtype", DType::kString}})
                  .BitEquals(Array::Vector<std::string>({"a", "b", "c"})));
}

TEST_F(ListOps, ResizeCutsOrAddsUnwrittenElements) {
  Array list = Floats({1, 2, 3});
  EXPECT_TRUE(Run("ListResize", {list, I(1)}).BitEquals(Floats({1})));
  Array longer = Run("ListResize", {list, I(5)});
  EXPECT_EQ(ListOf(longer)->size(), 5);
  EXPECT_FALSE(ListOf(longer)->at(4));
  EXPECT_EQ(ErrorOf("ListResize", {list, I(-1)}),
            "[ListResize] size is -1; wanted 0 or more");
  EXPECT_EQ(ErrorOf("ListResize", {list, I(INT64_MAX)}),
            "[ListResize] a list of 9223372036854775807 elements is too long; "
            "wanted at most 67108864");
  EXPECT_TRUE(Run("ListReserve", {list, I(100)}).BitEquals(list));
  EXPECT_NE(ErrorOf("ListReserve", {list, I(INT64_MAX)}), "");
}

TEST_F(ListOps, ABoundedListGrowsNoFurther) {
  Array list =
      Run("ListNew", {I(1)}, {{"dtype", DType::kF32}, {"max_size", 2}});
  list = Run("ListAppend", {list, F(1)});
  std::string full = "] a list of 3 elements is too long; wanted at most 2";
  EXPECT_EQ(ErrorOf("ListAppend", {list, F(2)}), "[ListAppend" + full);
  EXPECT_EQ(ErrorOf("ListResize", {list, I(3)}), "[ListResize" + full);
  EXPECT_EQ(ErrorOf("ListWriteAll", {list, Floats({1, 2, 3})}),
            "[ListWriteAll] index is 2; wanted less than 2, as many as the "
            "list may hold");
  EXPECT_EQ(ErrorOf("ListSet", {list, I(2), F(2)}),
            "[ListSet] index is 2; wanted less than 2, as many as the list may "
            "hold");
  EXPECT_EQ(ListOf(list)->size(), 2);
  std::vector<Array> popped = RunAll("ListPop", {list}, OfFloats());
  Run("ListAppend", {popped[0], F(1)});
  EXPECT_EQ(ErrorOf("ListAppend", {Run("ListZerosLike", {list}), F(2)}),
            "[ListAppend" + full);
}

TEST_F(ListOps, ZerosLikeKeepsTypesShapesAndHoles) {
  Array list = NewList(DType::kI32, {}, 3);
  list = Run("ListSet", {list, I(0), Array::Vector<int32_t>({1, 2})});
  list = Run("ListSet", {list, I(2), Array::Scalar<int32_t>(5)});
  const Array zeros = Run("ListZerosLike", {list});
  EXPECT_TRUE(ListOf(zeros)->at(0).BitEquals(Array::Vector<int32_t>({0, 0})));
  EXPECT_FALSE(ListOf(zeros)->at(1));
  EXPECT_TRUE(ListOf(zeros)->at(2).BitEquals(Array::Scalar<int32_t>(0)));
  Array nested = Run("ListAppend", {NewList(DType::kList), list});
  EXPECT_TRUE(ListOf(Run("ListZerosLike", {nested}))->at(0).BitEquals(zeros));
}

TEST_F(ListOps, WriteAllPutsOneListIntoAnother) {
  Array list = NewList(DType::kF32, Shape(), 3);
  EXPECT_TRUE(Run("ListStack", {Run("ListWriteAll", {list, Floats({4, 5})})},
                  OfFloats())
                  .BitEquals(Array::Vector<float>({4, 5, 0})));
  EXPECT_EQ(
      ErrorOf("ListWriteAll", {list, Floats({1, 2, 3, 4})}, {{"fixed", true}}),
      "[ListWriteAll] from has 4 elements; wanted at most 3, the size of "
      "the list");
  EXPECT_EQ(ListOf(Run("ListWriteAll", {list, Floats({1, 2, 3, 4})}))->size(),
            4);
}

TEST_F(ListOps, RefusesMoreRowsThanAListHolds) {
  Array many = Array::Zeros(DType::kF32, {int64_t{1} << 40, 0});
  EXPECT_EQ(ErrorOf("ListUnstack", {many}),
            "[ListUnstack] a list of 1099511627776 elements is too long; "
            "wanted at most 67108864");
}

// Whatever type, shape or list an op receives, it rejects it or runs.
TEST_F(ListOps, SurviveAnyOperands) {
  Array broken = NewList(DType::kF32, {}, 2);
  std::vector<Array> any_of{
      Floats({1, 2}),
      broken,
      NewList(DType::kList, {}, 1),
      Array::Zeros(DType::kList, {}),
      Array::Zeros(DType::kList, {0}),
      Array::Zeros(DType::kList, {3}),
      I(0),
      I(-1),
      I(INT64_MAX),
      Array::Scalar<int32_t>(1),
      Array::Vector<int64_t>({0, 5}),
      Array::Vector<int64_t>({}),
      F(1),
      Array::Zeros(DType::kF32, {2, 0}),
      Array::Scalar<std::string>("s"),
  };
  int ran = 0, refused = 0;
  for (const OpRecord* op : AllOps()) {
    if (!op->name.starts_with("List")) continue;
    for (DType dtype : {DType::kF32, DType::kList, DType::kInvalid}) {
      Attrs attrs;
      if (op->FindAttr("dtype")) attrs.set("dtype", dtype);
      size_t n = op->inputs.size(), calls = 1;
      for (size_t k = 0; k < n; ++k) calls *= any_of.size();
      for (size_t c = 0; c < calls; ++c) {
        std::vector<Array> in;
        for (size_t k = 0, r = c; k < n; ++k, r /= any_of.size()) {
          in.push_back(any_of[r % any_of.size()]);
        }
        auto out = RunOp(*op, attrs, in);
        ++(out.ok() ? ran : refused);
        if (out.ok()) continue;
        ASSERT_TRUE(out.status().message().starts_with("[" + op->name + "]"))
            << out.status().message();
        ASSERT_NE(out.status().code(), Code::kInternal);
      }
    }
  }
  EXPECT_GT(ran, 50);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace sluice
