// Accumulators, mutexes, tables and barriers through their ops.
#include "sluice/ops/state/state_ops_test_util.h"

namespace sluice {
namespace {

using DTypes = std::vector<DType>;
using Strings = std::initializer_list<std::string>;

Array I(int64_t v) { return Array::Scalar(v); }

using AccumulatorOps = StateOps;

TEST_F(AccumulatorOps, SyncReplicas) {
  const Attrs f32{{"dtype", DType::kF32}};
  Array g = Handle("Accumulator", f32, "g");
  AsyncCall mean =
      Start("AccumulatorTake", {g, Array::Scalar<int32_t>(2)}, f32);
  ASSERT_TRUE(
      Run("AccumulatorApply", {g, I(0), Array::Vector<float>({2})}).ok());
  EXPECT_EQ((*Run("AccumulatorCount", {g}))[0].data<int64_t>()[0], 1);
  EXPECT_TRUE(mean->pending());
  ASSERT_TRUE(
      Run("AccumulatorApply", {g, I(0), Array::Vector<float>({4})}).ok());
  EXPECT_TRUE(mean->out(0).BitEquals(Array::Vector<float>({3})));
  // A late worker's gradient, for step 0, is dropped.
  ASSERT_TRUE(
      Run("AccumulatorApply", {g, I(0), Array::Vector<float>({9})}).ok());
  EXPECT_EQ((*Run("AccumulatorCount", {g}))[0].data<int64_t>()[0], 0);
  ASSERT_TRUE(Run("AccumulatorSetStep", {g, I(5)}).ok());
  ASSERT_TRUE(
      Run("AccumulatorApply", {g, I(5), Array::Vector<float>({1})}).ok());
  EXPECT_EQ((*Run("AccumulatorCount", {g}))[0].data<int64_t>()[0], 1);
}

TEST_F(AccumulatorOps, Errors) {
  const Attrs f32x2{{"dtype", DType::kF32}, {"shape", PartialShape({2})}};
  Array g = Handle("Accumulator", f32x2, "g");
  ExpectError(
      RunStatus("AccumulatorApply", {g, I(0), Array::Vector<float>({1})}),
      Code::kInvalidArgument,
      "[AccumulatorApply] gradient is f32[1]; wanted f32[2] as accumulator "
      "\"g\"");
  ExpectError(RunStatus("AccumulatorTake", {g, I(0)}, f32x2),
              Code::kInvalidArgument,
              "[AccumulatorTake] num_required is 0; wanted 1 or more");
  ExpectError(RunStatus("AccumulatorTake", {g, I(1)}, {{"dtype", DType::kF64}}),
              Code::kInvalidArgument, "the attributes say f64[...]");
  Attrs sum = f32x2;
  sum.set("reduction", "sum");
  ExpectError(RunStatus("Accumulator", {}, sum, "g"), Code::kInvalidArgument,
              "is there already as an accumulator f32[2], mean; wanted an "
              "accumulator f32[2], sum");
  AsyncCall take = Start("AccumulatorTake", {g, I(1)}, f32x2);
  cancellation_.Cancel(Aborted("stop"));
  ExpectError(take->status(), Code::kCancelled, "[AccumulatorTake] take from");
  EXPECT_EQ(ShapeOf("AccumulatorTake", {DType::kResource, DType::kI64},
                    {{}, PartialShape::Scalar()}, f32x2),
            "[2]");
}

using MutexOps = StateOps;

TEST_F(MutexOps, AcquireAndRelease) {
  Array m = Handle("Mutex", {}, "m");
  Array first = (*Run("MutexAcquire", {m}))[0];
  AsyncCall second = Start("MutexAcquire", {m});
  EXPECT_TRUE(second->pending());
  ExpectError(RunStatus("MutexRelease", {m, I(99)}), Code::kFailedPrecondition,
              "[MutexRelease] ticket 99 does not hold mutex \"m\"");
  ASSERT_TRUE(Run("MutexRelease", {m, first}).ok());
  EXPECT_EQ(second->out(0).shape(), Shape());
  AsyncCall third = Start("MutexAcquire", {m});
  cancellation_.Cancel(Aborted("stop"));
  ExpectError(third->status(), Code::kCancelled, "[MutexAcquire] wait for");
  EXPECT_TRUE(Run("MutexRelease", {m, second->out(0)}).ok());
}

using TableOps = StateOps;

TEST_F(TableOps, InsertFindEraseExport) {
  const Attrs types{{"key_dtype", DType::kString},
                    {"value_dtype", DType::kI64}};
  Array t = Handle("HashTable", types, "t");
  Array keys = Array::Vector<std::string>(Strings{"b", "a", "c"});
  ASSERT_TRUE(
      Run("TableInsert", {t, keys, Array::Vector<int64_t>({2, 1, 3})}).ok());
  EXPECT_EQ((*Run("TableSize", {t}))[0].data<int64_t>()[0], 3);
  Array ask = Array::Of<std::string>({2, 1}, {"a", "z"});
  EXPECT_TRUE((*Run("TableFind", {t, ask, I(-1)}))[0].BitEquals(
      Array::Of<int64_t>({2, 1}, {1, -1})));
  ASSERT_TRUE(Run("TableErase", {t, Array::Scalar(std::string("a"))}).ok());
  auto all = *Run("TableExport", {t}, types);
  EXPECT_TRUE(all[0].BitEquals(Array::Vector<std::string>(Strings{"b", "c"})));
  EXPECT_TRUE(all[1].BitEquals(Array::Vector<int64_t>({2, 3})));
}

TEST_F(TableOps, Errors) {
  const Attrs types{{"key_dtype", DType::kI64},
                    {"value_dtype", DType::kF32},
                    {"value_shape", PartialShape({2})}};
  Array t = Handle("HashTable", types, "t");
  ExpectError(RunStatus("TableInsert", {t, I(1), Array::Scalar(1.0f)}),
              Code::kInvalidArgument,
              "[TableInsert] values is f32[]; wanted f32[2] for keys []");
  ExpectError(RunStatus("TableFind", {t, I(1), Array::Scalar(1.0f)}),
              Code::kInvalidArgument,
              "[TableFind] default is f32[]; wanted f32[2] as table \"t\"");
  ExpectError(RunStatus("TableFind",
                        {t, Array::Zeros(DType::kI64, {1, 1, 1, 1, 1, 1, 1, 1}),
                         Array::Zeros(DType::kF32, {2})}),
              Code::kInvalidArgument, "[TableFind] ");
  ExpectError(
      RunStatus("TableExport", {t},
                {{"key_dtype", DType::kI32}, {"value_dtype", DType::kF32}}),
      Code::kInvalidArgument, "as the keys of table \"t\"");
  ExpectError(RunStatus("TableExport", {t},
                        {{"key_dtype", DType::kI64},
                         {"value_dtype", DType::kF32},
                         {"value_shape", PartialShape({3})}}),
              Code::kInvalidArgument,
              "the attributes say f32[3]; wanted f32[2] as the values of");
}

TEST_F(TableOps, Shapes) {
  const DType r = DType::kResource;
  EXPECT_EQ(ShapeOf("TableFind", {r, DType::kI64, DType::kF32},
                    {{}, {kUnknownDim, 3}, {2}}, {}),
            "[?,3,2]");
  const Attrs types{{"key_dtype", DType::kI64},
                    {"value_dtype", DType::kF32},
                    {"value_shape", PartialShape({2})}};
  EXPECT_EQ(ShapeOf("TableExport", {r}, {{}}, types, {}, 0), "[?]");
  EXPECT_EQ(ShapeOf("TableExport", {r}, {{}}, types, {}, 1), "[?,2]");
}

using BarrierOps = StateOps;

TEST_F(BarrierOps, JoinsByKey) {
  const Attrs types{
      {"dtypes", DTypes{DType::kF32, DType::kI64}},
      {"shapes", std::vector<PartialShape>{{2}, PartialShape::Scalar()}}};
  Array b = Handle("Barrier", types, "b");
  AsyncCall take = Start("BarrierTake", {b, I(1)}, types);
  Array keys = Array::Vector<std::string>(Strings{"x", "y"});
  ASSERT_TRUE(Run("BarrierInsert",
                  {b, keys, Array::Of<float>({2, 2}, {1, 2, 3, 4})},
                  {{"component", 0}})
                  .ok());
  EXPECT_EQ((*Run("BarrierIncompleteSize", {b}))[0].data<int64_t>()[0], 2);
  ASSERT_TRUE(Run("BarrierInsert",
                  {b, Array::Vector<std::string>(Strings{"y"}),
                   Array::Vector<int64_t>({7})},
                  {{"component", 1}})
                  .ok());
  EXPECT_EQ(take->value<std::string>(0), "y");
  EXPECT_TRUE(take->out(1).BitEquals(Array::Of<float>({1, 2}, {3, 4})));
  EXPECT_EQ(take->value<int64_t>(2), 7);
  EXPECT_EQ((*Run("BarrierReadySize", {b}))[0].data<int64_t>()[0], 0);
  ExpectError(
      RunStatus("BarrierInsert", {b, keys, Array::Zeros(DType::kF32, {2, 2})},
                {{"component", 0}}),
      Code::kInvalidArgument,
      "[BarrierInsert] key \"x\" of barrier \"b\" has its component 0 "
      "already");
  AsyncCall waiting = Start("BarrierTake", {b, I(1)}, types);
  ASSERT_TRUE(Run("BarrierClose", {b}, {{"cancel_pending", true}}).ok());
  ExpectError(waiting->status(), Code::kOutOfRange,
              "[BarrierTake] barrier \"b\" is closed");
}

TEST_F(BarrierOps, Shapes) {
  const Attrs types{{"dtypes", DTypes{DType::kF32}},
                    {"shapes", std::vector<PartialShape>{{2}}}};
  Array three = I(3);
  std::vector<DType> dtypes{DType::kResource, DType::kI64};
  std::vector<PartialShape> in{PartialShape::Scalar(), PartialShape::Scalar()};
  EXPECT_EQ(ShapeOf("BarrierTake", dtypes, in, types, {nullptr, &three}, 0),
            "[3]");
  EXPECT_EQ(ShapeOf("BarrierTake", dtypes, in, types, {nullptr, &three}, 1),
            "[3,2]");
  Attrs small = types;
  small.set("allow_small_batch", true);
  EXPECT_EQ(ShapeOf("BarrierTake", dtypes, in, small, {nullptr, &three}, 1),
            "[?,2]");
}

}  // namespace
}  // namespace sluice
