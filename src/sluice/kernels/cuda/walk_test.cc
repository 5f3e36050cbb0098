#include "sluice/kernels/cuda/walk.h"

#include <gtest/gtest.h>

#include <random>

namespace sluice {
namespace {

Strides StridesOf(std::vector<int64_t> values) {
  Strides strides{};
  std::copy(values.begin(), values.end(), strides.begin());
  return strides;
}

TEST(GpuWalk, ContiguousOperandsAreOneAxis) {
  Shape shape{2, 3, 4};
  Strides strides[] = {ContiguousStrides(shape), ContiguousStrides(shape)};
  GpuWalk<2> walk(shape, strides);
  EXPECT_TRUE(walk.fits);
  EXPECT_EQ(walk.rank, 1);
  EXPECT_EQ(walk.size[0], 24);
  EXPECT_EQ(walk.stride[0][0], 1);
}

TEST(GpuWalk, AxesMergeWhereAllOperandsStepEvenly) {
  Shape shape{2, 3, 4};
  // The second repeats its rows: its last two axes are one, the first is not.
  Strides strides[] = {StridesOf({12, 4, 1}), StridesOf({0, 4, 1})};
  GpuWalk<2> walk(shape, strides);
  EXPECT_EQ(walk.rank, 2);
  EXPECT_EQ(walk.size[0], 12);
  EXPECT_EQ(walk.size[1], 2);
  EXPECT_EQ(walk.stride[1][1], 0);
}

TEST(GpuWalk, AxesOfOneAreDropped) {
  Strides strides[] = {StridesOf({7, 99, 1})};
  GpuWalk<1> walk(Shape{3, 1, 4}, strides);
  EXPECT_EQ(walk.rank, 2);
  GpuWalk<1> one(Shape{1, 1, 1}, strides);
  EXPECT_EQ(one.rank, 0);
  EXPECT_TRUE(one.fits);
}

TEST(GpuWalk, EveryRankThereIsFits) {
  std::vector<int64_t> dims, steps;
  for (int i = 0; i < kMaxRank; ++i) {
    dims.push_back(2);
    steps.push_back(3 * (i + 1));  // none merges with its neighbour
  }
  Strides strides[] = {StridesOf(steps)};
  GpuWalk<1> walk(*Shape::Make(dims), strides);
  EXPECT_TRUE(walk.fits);
  EXPECT_EQ(walk.rank, kMaxRank);
}

// As in source/elementwise.cuh: element by element, the walk is at the offset
// given by the strides.
TEST(GpuWalk, ReachesEveryElementWhereItIs) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    size_t rank = random() % 5;
    std::vector<int64_t> dims, a, b;
    for (size_t i = 0; i < rank; ++i) {
      dims.push_back(1 + static_cast<int64_t>(random() % 3));
      a.push_back(static_cast<int64_t>(random() % 9) - 4);
      b.push_back(random() % 2 ? 0 : static_cast<int64_t>(random() % 5));
    }
    // Some are such that axes merge.
    if (rank > 1 && trial % 2) {
      a[rank - 2] = a[rank - 1] * dims[rank - 1];
      b[rank - 2] = b[rank - 1] * dims[rank - 1];
    }
    Shape shape = *Shape::Make(dims);
    Strides strides[] = {StridesOf(a), StridesOf(b)};
    GpuWalk<2> walk(shape, strides);
    ASSERT_TRUE(walk.fits);
    for (int64_t i = 0; i < shape.num_elements(); ++i) {
      int64_t want[2] = {0, 0}, got[2] = {0, 0};
      int64_t rest = i;
      for (size_t axis = rank; axis-- > 0;) {
        int64_t index = rest % dims[axis];
        rest /= dims[axis];
        want[0] += index * a[axis];
        want[1] += index * b[axis];
      }
      rest = i;
      for (size_t axis = 0; axis < static_cast<size_t>(walk.rank); ++axis) {
        int64_t index = rest % walk.size[axis];
        rest /= walk.size[axis];
        for (size_t k = 0; k < 2; ++k) got[k] += index * walk.stride[k][axis];
      }
      EXPECT_EQ(got[0], want[0]);
      EXPECT_EQ(got[1], want[1]);
    }
  }
}

}  // namespace
}  // namespace sluice
