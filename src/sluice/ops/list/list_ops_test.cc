// Lists as values: the results of each op, its rejections, and the inputs it
// leaves unchanged.
#include "sluice/base/worker_pool.h"
#include "sluice/ops/list/list_ops_test_util.h"

namespace sluice {
namespace {

TEST_F(ListOps, WriteAndReadAtAnyTime) {
  Array list = NewList(DType::kF32, {}, 2);
  list = Run("ListSet", {list, I(1), Array::Vector<float>({1, 2})});
  list = Run("ListAppend", {list, Array::Vector<float>({3, 4})});
  list = Run("ListSet", {list, I(1), Array::Vector<float>({5, 6})});
  EXPECT_EQ(*Run("ListSize", {list}).data<int64_t>(), 3);
  EXPECT_TRUE(Get(list, 1).BitEquals(Array::Vector<float>({5, 6})));
  EXPECT_TRUE(Get(list, 2).BitEquals(Array::Vector<float>({3, 4})));
  EXPECT_TRUE(Get(list, 2).BitEquals(Array::Vector<float>({3, 4}))) << "again";
}

TEST_F(ListOps, AWriteBeyondTheEndMakesTheListLonger) {
  Array list = NewList(DType::kF32);
  list = Run("ListSet", {list, I(4), F(7)});
  EXPECT_EQ(*Run("ListSize", {list}).data<int64_t>(), 5);
  EXPECT_EQ(*Get(list, 4).data<float>(), 7);
  EXPECT_EQ(*Get(list, 2).data<float>(), 0) << "never written";
}

TEST_F(ListOps, ReadsOfWhatWasNeverWrittenAreZerosOfTheKnownShape) {
  Array none = NewList(DType::kF32, {}, 3);
  EXPECT_EQ(ErrorOf("ListGet", {none, I(1)}, OfFloats()),
            "[ListGet] element 1 was never written and only f32[...] is known "
            "of its shape; wanted all of it, to give zeros");
  Array zeros = Array::Zeros(DType::kF32, {2});
  // Known from the list, from the reader, from another element.
  EXPECT_TRUE(
      Get(NewList(DType::kF32, PartialShape{2}, 3), 1).BitEquals(zeros));
  Attrs claims{{"dtype", DType::kF32}, {"shape", PartialShape{2}}};
  EXPECT_TRUE(Run("ListGet", {none, I(1)}, claims).BitEquals(zeros));
  Array one = Run("ListSet", {none, I(0), Array::Vector<float>({1, 2})});
  EXPECT_TRUE(Get(one, 1).BitEquals(zeros));
  // Two different shapes imply nothing about a third element.
  Array two = Run("ListSet", {one, I(2), F(1)});
  EXPECT_NE(ErrorOf("ListGet", {two, I(1)}, OfFloats()), "");
}

TEST_F(ListOps, RefusesIndicesOutsideWithIndexAndSize) {
  Array list = Floats({1, 2, 3});
  for (int64_t i : {int64_t{3}, int64_t{-1}, INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(ErrorOf("ListGet", {list, I(i)}, OfFloats()),
              "[ListGet] index is " + std::to_string(i) +
                  "; wanted 0 <= index < 3, the size of the list");
  }
  EXPECT_EQ(ErrorOf("ListSet", {list, I(-2), F(0)}),
            "[ListSet] index is -2; wanted 0 <= index < 3, the size of the "
            "list");
  EXPECT_EQ(ErrorOf("ListSet", {list, I(3), F(0)}, {{"fixed", true}}),
            "[ListSet] index is 3; wanted 0 <= index < 3, the size of the "
            "list");
  EXPECT_EQ(ErrorOf("ListSet", {list, I(int64_t{1} << 40), F(0)}),
            "[ListSet] index is 1099511627776; wanted less than 67108864, as "
            "many as the list may hold");
}

TEST_F(ListOps, RefusesElementsOfAnotherTypeOrShape) {
  Array list = NewList(DType::kF32, {any, 2});
  EXPECT_EQ(ErrorOf("ListAppend", {list, Array::Zeros(DType::kF32, {2, 3})}),
            "[ListAppend] the element is f32[2,3]; wanted f32[?,2] as the "
            "list holds");
  EXPECT_EQ(ErrorOf("ListSet", {list, I(0), I(0)}),
            "[ListSet] the element is i64[]; wanted f32[?,2] as the list "
            "holds");
  EXPECT_EQ(ErrorOf("ListGet", {Floats({1}), I(0)}, {{"dtype", DType::kI64}}),
            "[ListGet] list is a list of 1 f32[]; wanted elements of i64");
  EXPECT_EQ(ErrorOf("ListGet", {Floats({1}), I(0)},
                    {{"dtype", DType::kF32}, {"shape", PartialShape{2}}}),
            "[ListGet] element 0 is f32[]; wanted f32[2]");
}

TEST_F(ListOps, StackLaysElementsSideBySide) {
  Array list = NewList(DType::kI64, {}, 0);
  for (int64_t i = 0; i < 3; ++i) {
    list = Run("ListAppend", {list, Array::Vector<int64_t>({i, 10 * i})});
  }
  Attrs ints{{"dtype", DType::kI64}};
  Array y = Run("ListStack", {list}, ints);
  EXPECT_TRUE(y.BitEquals(Array::Of<int64_t>({3, 2}, {0, 0, 1, 10, 2, 20})));
  EXPECT_TRUE(Run("ListUnstack", {y}).BitEquals(list));
  // Unwritten ones are zeros.
  list = Run("ListSet", {list, I(4), Array::Vector<int64_t>({7, 8})});
  y = Run("ListStack", {list}, ints);
  EXPECT_TRUE(y.BitEquals(
      Array::Of<int64_t>({5, 2}, {0, 0, 1, 10, 2, 20, 0, 0, 7, 8})));
}

TEST_F(ListOps, StackWorksForEveryType) {
  for (int t = 1; t < kNumDTypes; ++t) {
    auto dtype = static_cast<DType>(t);
    if (!kAnyData.contains(dtype)) continue;
    Array list = NewList(dtype, Shape({2}), 2);
    list = Run("ListSet", {list, I(1), Array::Zeros(dtype, {2})});
    Array y = Run("ListStack", {list}, {{"dtype", dtype}});
    EXPECT_TRUE(y.BitEquals(Array::Zeros(dtype, {2, 2}))) << DTypeName(dtype);
  }
}

TEST_F(ListOps, StackOfLongAndManyElementsIsWholeWithThreads) {
  WorkerPool pool(2);
  StepContext step;
  step.pool = &pool;
  for (auto [n, rows] : {std::pair<int64_t, int64_t>{3, 100'000}, {500, 100}}) {
    Array x = Array::Zeros(DType::kF32, Shape({n, rows}));
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      x.mutable_data<float>()[i] = static_cast<float>(i);
    }
    std::vector<Array> in{Run("ListUnstack", {x})};
    auto y = RunOp(*FindOp("ListStack"), OfFloats(), in, &step);
    ASSERT_TRUE(y.ok());
    EXPECT_TRUE((*y)[0].BitEquals(x));
  }
}

TEST_F(ListOps, StackSaysWhatIsMissing) {
  EXPECT_EQ(ErrorOf("ListStack", {NewList(DType::kF32)}, OfFloats()),
            "[ListStack] there are no elements and only f32[...] is known of "
            "their shape; wanted all of it");
  EXPECT_EQ(
      Run("ListStack", {NewList(DType::kF32, PartialShape{3})}, OfFloats())
          .TypeText(),
      "f32[0,3]");
  Array list = Run("ListAppend", {Floats({1}), F(2)});
  EXPECT_EQ(ErrorOf("ListStack", {list}, {{"dtype", DType::kF32}, {"size", 3}}),
            "[ListStack] list is a list of 2 f32[]; wanted 3 elements");
  Array mixed = NewList(DType::kF32);
  mixed = Run("ListAppend", {mixed, F(1)});
  mixed = Run("ListAppend", {mixed, Array::Vector<float>({1})});
  EXPECT_EQ(ErrorOf("ListStack", {mixed}, OfFloats()),
            "[ListStack] element 1 is f32[1]; wanted f32[] as element 0");
}

TEST_F(ListOps, UnstackCopiesShortRows) {
  Array x = Array::Of<float>({2, 2}, {1, 2, 3, 4});
  Array list = Run("ListUnstack", {x});
  x.mutable_data<float>()[2] = 9;
  EXPECT_TRUE(Get(list, 1).BitEquals(Array::Vector<float>({3, 4})));
  EXPECT_TRUE(Get(list, 1).unique());
  EXPECT_TRUE(Run("ListStack", {list}, OfFloats())
                  .BitEquals(Array::Of<float>({2, 2}, {1, 2, 3, 4})));
}

TEST_F(ListOps, UnstackSharesWhatItIsGiven) {
  Array x = Array::Zeros(DType::kF32, {2, 100});
  x.mutable_data<float>()[100] = 3;
  Array list = Run("ListUnstack", {x});
  Array row = Get(list, 1);
  EXPECT_EQ(row.raw(), x.data<float>() + 100);
  EXPECT_FALSE(row.unique()) << "nobody may write a part of another array";
  x = Array();
  list = Array();
  EXPECT_EQ(*row.data<float>(), 3) << "still alive";
  EXPECT_EQ(
      ListOf(Run("ListUnstack", {Array::Zeros(DType::kF32, {0, 3})}))->size(),
      0);
}

// Memory that a plan lends to its kernels does not outlive the step; a list
// may.
TEST_F(ListOps, KeepsNoBorrowedMemory) {
  float lent[] = {1, 2};
  Array x = Array::Borrow(lent, DType::kF32, {2});
  Array appended = Run("ListAppend", {NewList(DType::kF32), x});
  Array rows = Run("ListUnstack", {x});
  lent[0] = lent[1] = 9;
  EXPECT_TRUE(Get(appended, 0).BitEquals(Array::Vector<float>({1, 2})));
  EXPECT_EQ(*Get(rows, 1).data<float>(), 2);
}

TEST_F(ListOps, ListsAreElementsToo) {
  Array outer = NewList(DType::kList);
  outer = Run("ListAppend", {outer, Floats({1, 2})});
  outer = Run("ListAppend", {outer, Floats({3})});
  Array inner = Get(outer, 1, DType::kList);
  EXPECT_EQ(*Get(inner, 0).data<float>(), 3);
  Array longer = Run("ListAppend", {inner, F(4)});
  EXPECT_EQ(*Run("ListSize", {Get(outer, 1, DType::kList)}).data<int64_t>(), 1)
      << "the outer list's is untouched";
  EXPECT_EQ(outer.ToString(), "list of 2 list[]");
  EXPECT_EQ(ErrorOf("ListGet", {NewList(DType::kList, {}, 1), I(0)},
                    {{"dtype", DType::kList}}),
            "[ListGet] element 0 was never written; wanted a list there");
  EXPECT_NE(ErrorOf("ListAppend", {outer, F(1)}), "");
}

TEST_F(ListOps, AListInALoopThatNestsItselfIsRefusedNotFatal) {
  Array list = NewList(DType::kF32);
  std::string error;
  int rounds = 0;
  for (; error.empty() && rounds < 10000; ++rounds) {
    Array outer = NewList(DType::kList);
    error = ErrorOf("ListAppend", {outer, list});
    if (error.empty()) list = Run("ListAppend", {outer, list});
  }
  EXPECT_EQ(rounds, kMaxListDepth);
  EXPECT_EQ(error,
            "[ListAppend] the element is a list nested 4200 deep; wanted less "
            "than 4200");
}

TEST_F(ListOps, ShapesAreWhatTheAttributesSay) {
  Attrs known{{"dtype", DType::kF32}, {"shape", PartialShape{any, 2}}};
  using D = DType;
  PartialShape s = PartialShape::Scalar(), u;
  EXPECT_EQ(ShapeOf("ListGet", {D::kList, D::kI32}, {s, s}, known), "[?,2]");
  EXPECT_EQ(ShapeOf("ListGet", {D::kList, D::kI32}, {u, u}, OfFloats()),
            "[...]");
  EXPECT_EQ(ShapeOf("ListStack", {D::kList}, {s}, known), "[?,?,2]");
  known.set("size", 5);
  EXPECT_EQ(ShapeOf("ListStack", {D::kList}, {s}, known), "[5,?,2]");
  EXPECT_EQ(ShapeOf("ListSet", {D::kList, D::kI64, D::kF32}, {s, s, u}), "[]");
  EXPECT_EQ(ShapeOf("ListUnstack", {D::kF32}, {u}), "[]");
  EXPECT_EQ(ShapeOf("ListSize", {D::kList}, {PartialShape{2}}),
            "[ListSize] list is list[2]; wanted rank 0");
}

}  // namespace
}  // namespace sluice
