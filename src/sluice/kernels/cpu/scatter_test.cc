// Compares ScatterRows with sequential updates, for every division of the work
// between threads.
#include "sluice/kernels/cpu/scatter.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace sluice {
namespace {

struct Case {
  int64_t outer, rows, inner, count;
};

void CompareOnThreads(bool skip) {
  WorkerPool two(2), five(5);
  std::mt19937 rng(5);
  for (const Case& c :
       {Case{1, 1000, 64, 3000}, Case{1, 100000, 1, 60000},
        Case{1, 7, 1, 50000}, Case{1, 4, 2000, 100}, Case{1, 9, 40, 5000},
        Case{3, 500, 33, 900}, Case{8, 60, 17, 300}, Case{1, 3000, 1100, 80},
        Case{1, 5, 3, 2}}) {
    std::vector<float> start, updates;
    std::vector<int32_t> index;
    for (int64_t i = 0; i < c.outer * c.rows * c.inner; ++i) {
      start.push_back(static_cast<float>(rng()) * 1e-9f);
    }
    for (int64_t i = 0; i < c.outer * c.count * c.inner; ++i) {
      updates.push_back(static_cast<float>(rng()) * 1e-9f);
    }
    for (int64_t i = 0; i < c.count; ++i) {
      // A few popular rows, and some that are left out.
      auto row = static_cast<int32_t>(rng() % static_cast<unsigned>(c.rows));
      index.push_back(rng() % 4 ? row : rng() % 3 || !skip ? 0 : -5);
    }
    for (ScatterOp op : {ScatterOp::kUpdate, ScatterOp::kAdd, ScatterOp::kSub,
                         ScatterOp::kMax}) {
      std::vector<float> wanted = start;
      for (int64_t o = 0; o < c.outer; ++o) {
        for (int64_t i = 0; i < c.count; ++i) {
          if (index[static_cast<size_t>(i)] < 0) continue;
          for (int64_t k = 0; k < c.inner; ++k) {
            float u =
                updates[static_cast<size_t>((o * c.count + i) * c.inner + k)];
            float& y = wanted[static_cast<size_t>(
                (o * c.rows + index[static_cast<size_t>(i)]) * c.inner + k)];
            y = op == ScatterOp::kUpdate ? u
                : op == ScatterOp::kAdd  ? y + u
                : op == ScatterOp::kSub  ? y - u
                                         : std::max(y, u);
          }
        }
      }
      for (WorkerPool* pool :
           {static_cast<WorkerPool*>(nullptr), &two, &five}) {
        std::vector<float> got = start;
        RowScatter job{.op = op, .dtype = DType::kF32};
        job.outer = c.outer;
        job.rows = c.rows;
        job.inner = c.inner;
        job.count = c.count;
        job.skip_negative = skip;
        ASSERT_TRUE(ScatterRows(job, got.data(), DType::kI32, index.data(),
                                updates.data(), pool));
        ASSERT_EQ(got, wanted) << c.rows << " x " << c.inner;
      }
    }
  }
}

TEST(ScatterRows, SameOnAnyNumberOfThreads) {
  CompareOnThreads(/*skip=*/false);
}
TEST(ScatterRows, NegativeIndicesLeftOut) { CompareOnThreads(/*skip=*/true); }

TEST(ScatterRows, OneUpdateForAll) {
  std::vector<int64_t> y(6, 1), row{10, 20};
  std::vector<int64_t> index{2, 0, 2};
  RowScatter job{.op = ScatterOp::kAdd, .dtype = DType::kI64};
  job.rows = 3;
  job.inner = 2;
  job.count = 3;
  job.same_update = true;
  ASSERT_TRUE(ScatterRows(job, y.data(), DType::kI64, index.data(), row.data(),
                          nullptr));
  EXPECT_EQ(y, (std::vector<int64_t>{11, 21, 1, 1, 21, 41}));
}

TEST(ScatterRows, WrongIndicesAreFoundBeforeAnythingIsWritten) {
  WorkerPool two(2), five(5);
  for (WorkerPool* pool : {static_cast<WorkerPool*>(nullptr), &two, &five}) {
    for (int64_t inner : {7, 64, 1100}) {
      constexpr int64_t kCount = 1500;
      std::vector<float> y(static_cast<size_t>(40 * inner), 1);
      std::vector<float> u(static_cast<size_t>(kCount * inner), 1);
      std::vector<int64_t> index(kCount, 39);
      RowScatter job{.op = ScatterOp::kAdd, .dtype = DType::kF32};
      job.rows = 40;
      job.inner = inner;
      job.count = kCount;
      for (int64_t bad : {int64_t{0}, int64_t{100}, kCount - 1, kCount}) {
        std::vector<int64_t> at = index;
        for (int64_t i = bad; i < kCount; ++i) {
          at[static_cast<size_t>(i)] = i % 2 ? 40 : -1;
        }
        int64_t outside = -1;
        ASSERT_TRUE(ScatterRows(job, y.data(), DType::kI64, at.data(), u.data(),
                                pool, &outside));
        EXPECT_EQ(outside, bad);
        EXPECT_EQ(y.back(), bad < kCount ? 1 : 1 + kCount);
      }
    }
  }
}

TEST(ScatterRows, TypesItDoesNotTake) {
  RowScatter job{.op = ScatterOp::kMin, .dtype = DType::kC64};
  EXPECT_FALSE(
      ScatterRows(job, nullptr, DType::kI64, nullptr, nullptr, nullptr));
  job = {.op = ScatterOp::kAdd, .dtype = DType::kString};
  EXPECT_FALSE(
      ScatterRows(job, nullptr, DType::kI64, nullptr, nullptr, nullptr));
}

}  // namespace
}  // namespace sluice
