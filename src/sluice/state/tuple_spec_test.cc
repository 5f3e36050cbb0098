#include "sluice/state/tuple_spec.h"

#include "sluice/state/state_test_util.h"

namespace sluice {
namespace {

constexpr int64_t kAny = kUnknownDim;

TEST(TupleSpec, PrintsItself) {
  TupleSpec spec{{DType::kF32, DType::kI64}, {{2, kAny}, {}}, {"x", "y"}};
  EXPECT_EQ(spec.ToString(), "(x: f32[2,?], y: i64[...])");
  EXPECT_EQ((TupleSpec{{DType::kF32}, {PartialShape::Scalar()}, {}}).ToString(),
            "(f32[])");
}

TEST(TupleSpec, ChecksItself) {
  ExpectError(TupleSpec{}.Check(), Code::kInvalidArgument, "dtypes is empty");
  ExpectError((TupleSpec{{DType::kF32}, {{1}, {2}}, {}}).Check(),
              Code::kInvalidArgument,
              "shapes has 2 entries; wanted none or 1, as dtypes");
  ExpectError((TupleSpec{{DType::kF32}, {}, {"a", "b"}}).Check(),
              Code::kInvalidArgument, "names has 2 entries");
  ExpectError((TupleSpec{{DType::kResource}, {}, {}}).Check(),
              Code::kInvalidArgument, "dtypes[0] is resource");
}

TEST(TupleSpec, MakesElements) {
  TupleSpec spec{{DType::kF32, DType::kI64}, {{2}, PartialShape::Scalar()}, {}};
  Array x = Array::Vector<float>({1, 2}), y = Array::Scalar<int64_t>(3);
  Array good[] = {x, y};
  EXPECT_EQ(MakeElement(spec, good, "q")->parts[0].raw(), x.raw());
  Array swapped[] = {y, x};
  ExpectError(MakeElement(spec, swapped, "queue \"q\"").status(),
              Code::kInvalidArgument,
              "components[0] is i64[]; wanted f32[2] as queue \"q\"");
  Array few[] = {x};
  ExpectError(MakeElement(spec, few, "queue \"q\"").status(),
              Code::kInvalidArgument,
              "got 1 component; wanted 2 as queue \"q\"");
}

TEST(TupleSpec, SplitsBatches) {
  TupleSpec spec{{DType::kF32, DType::kString}, {{2}, {}}, {}};
  Array batch[] = {Array::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6}),
                   Array::Vector<std::string>({"a", "b", "c"})};
  std::vector<Element> rows = *SplitBatch(spec, batch, "q");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_TRUE(rows[1].parts[0].BitEquals(Array::Vector<float>({3, 4})));
  EXPECT_EQ(rows[2].parts[1].data<std::string>()[0], "c");
  // Elements are independent: none keeps the batch alive.
  EXPECT_TRUE(rows[1].parts[0].unique());

  Array scalar[] = {Array::Scalar(1.0f), batch[1]};
  ExpectError(SplitBatch(spec, scalar, "q").status(), Code::kInvalidArgument,
              "components[0] is f32[]; wanted a batch");
  Array uneven[] = {batch[0], Array::Vector<std::string>({"a"})};
  ExpectError(SplitBatch(spec, uneven, "q").status(), Code::kInvalidArgument,
              "components[1] is string[1]; wanted 3 elements along axis 0");
  Array wide[] = {Array::Zeros(DType::kF32, {3, 3}), batch[1]};
  ExpectError(SplitBatch(spec, wide, "q").status(), Code::kInvalidArgument,
              "components[0] is f32[3,3]; wanted f32[?,2] as q");
}

TEST(TupleSpec, SplitsStridedAndEmptyBatches) {
  TupleSpec spec{{DType::kF32}, {{2}}, {}};
  Array a = Array::Of<float>({2, 2}, {1, 2, 3, 4});
  Array turned[] = {Array::View(a, 0, {2, 2}, Strides{1, 2})};
  std::vector<Element> rows = *SplitBatch(spec, turned, "q");
  EXPECT_TRUE(rows[0].parts[0].BitEquals(Array::Vector<float>({1, 3})));
  Array none[] = {Array::Zeros(DType::kF32, {0, 2})};
  EXPECT_TRUE(SplitBatch(spec, none, "q")->empty());
}

TEST(TupleSpec, BatchesAndPads) {
  TupleSpec spec{{DType::kI32, DType::kString}, {{kAny, 2}, {kAny}}, {}};
  std::vector<Element> rows;
  rows.push_back({{Array::Of<int32_t>({1, 2}, {1, 2}),
                   Array::Vector<std::string>({"a", "b"})},
                  0});
  rows.push_back({{Array::Of<int32_t>({2, 2}, {3, 4, 5, 6}),
                   Array::Vector<std::string>({"c"})},
                  1});
  std::vector<Array> batch = *AllocateBatch(spec, true, rows);
  FillBatch(rows, batch);
  EXPECT_TRUE(batch[0].BitEquals(
      Array::Of<int32_t>({2, 2, 2}, {1, 2, 0, 0, 3, 4, 5, 6})));
  EXPECT_TRUE(
      batch[1].BitEquals(Array::Of<std::string>({2, 2}, {"a", "b", "c", ""})));
}

TEST(TupleSpec, PadsEachAxisOnItsOwn) {
  TupleSpec spec{{DType::kF32}, {{kAny, kAny}}, {}};
  std::vector<Element> rows;
  rows.push_back({{Array::Of<float>({1, 3}, {1, 2, 3})}, 0});
  rows.push_back({{Array::Of<float>({2, 1}, {4, 5})}, 1});
  rows.push_back({{Array::Zeros(DType::kF32, {0, 0})}, 2});
  std::vector<Array> batch = *AllocateBatch(spec, true, rows);
  FillBatch(rows, batch);
  EXPECT_TRUE(batch[0].BitEquals(Array::Of<float>(
      {3, 2, 3}, {1, 2, 3, 0, 0, 0, 4, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0})));
}

TEST(TupleSpec, WhatCanBeBatched) {
  EXPECT_TRUE(CanBatch({2, 3}, false));
  EXPECT_FALSE(CanBatch({2, kAny}, false));
  EXPECT_TRUE(CanBatch({2, kAny}, true));
  EXPECT_FALSE(CanBatch({}, true));
  EXPECT_FALSE(CanBatch(PartialShape::OfRank(kMaxRank), true));
}

TEST(TupleSpec, Subsumes) {
  EXPECT_TRUE(Subsumes({}, {2}));
  EXPECT_TRUE(Subsumes({kAny}, {2}));
  EXPECT_TRUE(Subsumes({2}, {2}));
  EXPECT_FALSE(Subsumes({2}, {kAny}));
  EXPECT_FALSE(Subsumes({2}, {}));
  EXPECT_FALSE(Subsumes({2}, {3}));
  EXPECT_FALSE(Subsumes({kAny}, {2, 2}));
}

}  // namespace
}  // namespace sluice
