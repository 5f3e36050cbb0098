// The ops of loops that keep checkpoints, run one by one: every iteration is
// visited once, and the budget is never exceeded.
#include "sluice/ops/list/kept_bytes.h"
#include "sluice/ops/list/list_ops_test_util.h"

namespace sluice {
namespace {

Array B(bool b) { return Array::Scalar(b); }

TEST_F(ListOps, ACheckpointIsSetAndEverySecondOneGoes) {
  Array list = NewList(DType::kF32);
  list = Run("ListCheckpoint", {list, F(10), I(0), B(false)});
  list = Run("ListCheckpoint", {list, F(11), I(1), B(false)});
  EXPECT_TRUE(Run("ListCheckpoint", {list, F(99), I(-1), B(false)})
                  .BitEquals(Floats({10, 11})));
  list = Run("ListCheckpoint", {list, F(12), I(2), B(true)});
  EXPECT_TRUE(list.BitEquals(Floats({10, 12})));
}

TEST_F(ListOps, TheGradientOfACheckpointIsItsTranspose) {
  Attrs attrs{{"dtype", DType::kF32}};
  Array dims = Array::Zeros(DType::kI64, {0}), dy = Floats({1, 2});
  // Kept at 2 and then thinned: it is element 1, and element 0 stays.
  std::vector<Array> back =
      RunAll("ListCheckpointGrad", {dy, I(2), B(true), dims}, attrs);
  EXPECT_EQ(*back[1].data<float>(), 2);
  ASSERT_EQ(ListOf(back[0])->size(), 1);
  EXPECT_EQ(*Get(back[0], 0).data<float>(), 1);
  // Kept at 1 and then thinned: it is gone.
  back = RunAll("ListCheckpointGrad", {dy, I(1), B(true), dims}, attrs);
  EXPECT_EQ(*back[1].data<float>(), 0);
  ASSERT_EQ(ListOf(back[0])->size(), 3);
  EXPECT_EQ(*Get(back[0], 2).data<float>(), 2);
  // Not kept, or without an incoming gradient.
  back = RunAll("ListCheckpointGrad", {dy, I(-1), B(false), dims}, attrs);
  EXPECT_EQ(*back[1].data<float>(), 0);
  EXPECT_TRUE(back[0].BitEquals(dy));
  Array none = Array::Zeros(DType::kList, {});
  back = RunAll("ListCheckpointGrad", {none, I(0), B(false), dims}, attrs);
  EXPECT_EQ(*back[1].data<float>(), 0);
}

TEST_F(ListOps, BytesThatAreSharedAreCountedOnce) {
  Array x = Array::Zeros(DType::kF32, {100});
  Array list = NewList(DType::kF32);
  for (int i = 0; i < 3; ++i) list = Run("ListAppend", {list, x});
  EXPECT_EQ(*Run("ListBytes", {list}).data<int64_t>(), 400);
  list = Run("ListAppend", {list, Array::Vector<float>({4})});
  EXPECT_EQ(*Run("ListBytes", {list}).data<int64_t>(), 404);
  Array nested = Run("ListAppend", {NewList(DType::kList), list});
  nested = Run("ListAppend", {nested, list});
  EXPECT_EQ(KeptBytes(nested), 404);
}

// They are stored in one block: each is a copy.
TEST_F(ListOps, BytesOfShortElementsAreCountedOneByOne) {
  Array x = Array::Vector<float>({1, 2, 3});
  Array list = Run("ListNew", {I(4)}, {{"dtype", DType::kF32}});
  for (int i = 0; i < 3; ++i) list = Run("ListAppend", {list, x});
  EXPECT_EQ(*Run("ListBytes", {list}).data<int64_t>(), 36);
  Array nested = Run("ListAppend", {NewList(DType::kList), list});
  nested = Run("ListAppend", {nested, list});
  EXPECT_EQ(KeptBytes(nested), 36);
}

// Positions of the checkpoints left by a loop of this many iterations.
std::vector<int64_t> Left(int64_t trips, int64_t budget, int64_t bytes,
                          int64_t* most) {
  Array state = Array::Vector<int64_t>({1, 0, 0});
  Array x = Array::Zeros(DType::kU8, {bytes});
  std::vector<int64_t> at;
  for (int64_t t = 0; t < trips; ++t) {
    auto out = RunOp(*FindOp("CheckpointChoice"), {{"budget", budget}},
                     std::vector<Array>{Array::Scalar(t), state, x});
    EXPECT_TRUE(out.ok()) << out.status().ToString();
    if (!out.ok()) return at;
    if (*(*out)[0].data<int64_t>() >= 0) {
      EXPECT_EQ(*(*out)[0].data<int64_t>(), static_cast<int64_t>(at.size()));
      at.push_back(t);
    }
    *most = std::max(*most, static_cast<int64_t>(at.size()));
    if (*(*out)[1].data<bool>()) {
      for (size_t i = 0; 2 * i < at.size(); ++i) at[i] = at[2 * i];
      at.resize((at.size() + 1) / 2);
    }
    state = (*out)[2];
  }
  return at;
}

TEST_F(ListOps, ThereAreAsManyCheckpointsAsTheSquareRoot) {
  for (int64_t trips : {1, 10, 100, 1000, 10000}) {
    int64_t most = 0;
    std::vector<int64_t> at = Left(trips, 0, 1, &most);
    auto n = static_cast<int64_t>(at.size());
    EXPECT_LE((most - 1) * (most - 1), 4 * trips + 4) << trips;
    int64_t between = n > 1 ? at[1] : trips;
    EXPECT_LE(between * between, 4 * trips) << trips;
  }
}

TEST_F(ListOps, TheWalkGoesThroughEveryIterationOnceWithinTheBudget) {
  for (int64_t trips : {1, 2, 7, 100, 3000}) {
    for (int64_t budget : {24, 100, 1000, 100000}) {
      SCOPED_TRACE(testing::Message() << trips << " trips, " << budget);
      constexpr int64_t kEach = 8, kPerTrip = 8;
      int64_t most = 0;
      std::vector<int64_t> at = Left(trips, budget, kEach, &most);
      EXPECT_LE(most, std::max<int64_t>(2, budget / 8 * 3 / kEach + 1));
      int64_t left = trips, per_trip = 0, steps = 0, work = 0;
      while (left > 0 && ++steps < 100000) {
        std::vector<Array> out =
            RunAll("CheckpointWalk",
                   {Array::Vector(at), I(left), I(per_trip), I(kEach)},
                   {{"budget", budget}});
        ASSERT_TRUE(out[0]);
        auto scalar = [&](size_t i) { return *out[i].data<int64_t>(); };
        int64_t index = scalar(1), advance = scalar(2), n = scalar(3);
        ASSERT_LT(index, static_cast<int64_t>(at.size()));
        int64_t begin = at[static_cast<size_t>(index)] + advance;
        work += advance + n;
        auto held = static_cast<int64_t>(at.size()) * kEach;
        at.assign(out[0].i64s().begin(), out[0].i64s().end());
        if (n == 0) {
          ASSERT_EQ(at.back(), begin);
          ASSERT_LT(begin, left);
          continue;
        }
        ASSERT_EQ(begin + n, left);
        EXPECT_LE(held + n * kPerTrip, std::max<int64_t>(budget, 24));
        left = begin;
        per_trip = kPerTrip;
      }
      EXPECT_EQ(left, 0);
      if (budget >= 1000) {
        EXPECT_LE(work, 8 * trips);
      }
    }
  }
}

}  // namespace
}  // namespace sluice
