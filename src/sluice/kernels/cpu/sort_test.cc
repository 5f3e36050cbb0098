// Compares Sort, ArgSort and SelectTop with the library's stable sort, on rows
// long enough for every path. The sweep covers short ones.
#include "sluice/kernels/cpu/sort.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "sluice/kernels/cpu/radix_sort.h"
#include "sluice/kernels/cpu/sort_key.h"

namespace sluice {
namespace {

template <class T>
std::vector<T> Draw(int64_t n, int64_t different, unsigned seed) {
  std::mt19937_64 rng(seed);
  std::vector<T> x;
  for (int64_t i = 0; i < n; ++i) {
    auto k = static_cast<int64_t>(rng() % static_cast<uint64_t>(different)) -
             different / 2;
    x.push_back(static_cast<T>(k));
    if constexpr (std::is_floating_point_v<T>) {
      if (rng() % 50 == 0) x.back() = std::numeric_limits<T>::quiet_NaN();
      if (rng() % 50 == 0) x.back() = -T(0);
      if (rng() % 50 == 0) x.back() = std::numeric_limits<T>::infinity();
      x.back() /= 3;
    }
  }
  return x;
}

template <class T>
bool Less(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(b)) return !std::isnan(a);
  }
  return a < b;
}

template <class T>
std::vector<int64_t> Wanted(const T* x, int64_t n, bool descending) {
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    if (Less(x[a], x[b])) return !descending;
    if (Less(x[b], x[a])) return descending;
    return a < b;
  });
  return order;
}

template <class T>
void Check(int64_t rows, int64_t n, int64_t different, bool descending,
           WorkerPool* pool) {
  SCOPED_TRACE(testing::Message() << rows << " x " << n << " of " << different
                                  << (descending ? " down" : " up"));
  std::vector<T> x = Draw<T>(rows * n, different, 3), y(x.size());
  SortRows job{DTypeOf<T>::value, rows, n, descending};
  std::vector<char> scratch(static_cast<size_t>(SortBytes(job)));
  std::vector<int64_t> index(x.size());
  Sort(job, x.data(), y.data(), scratch.data(), pool);
  ArgSort(job, x.data(), index.data(), scratch.data(), pool);
  for (int64_t r = 0; r < rows; ++r) {
    const T* row = x.data() + r * n;
    std::vector<int64_t> wanted = Wanted(row, n, descending);
    for (int64_t i = 0; i < n; ++i) {
      auto k = static_cast<size_t>(r * n + i);
      T value = row[wanted[static_cast<size_t>(i)]];
      ASSERT_EQ(index[k], wanted[static_cast<size_t>(i)]) << i;
      ASSERT_FALSE(Less(y[k], value) || Less(value, y[k])) << i;
    }
    for (int64_t top :
         {int64_t{1}, std::min<int64_t>(n, 20), n / 10, n / 2, n}) {
      for (bool sorted : {true, false}) {
        SortRows one{DTypeOf<T>::value, 1, n, descending};
        std::vector<T> values(static_cast<size_t>(top));
        std::vector<int64_t> at(static_cast<size_t>(top));
        SelectTop(one, top, sorted, row, values.data(), at.data(),
                  scratch.data(), pool);
        if (!sorted) {
          std::vector<int64_t> some(wanted.begin(), wanted.begin() + top);
          std::sort(some.begin(), some.end());
          std::sort(at.begin(), at.end());
          ASSERT_EQ(at, some) << top;
          continue;
        }
        for (size_t i = 0; i < at.size(); ++i) ASSERT_EQ(at[i], wanted[i]);
      }
    }
  }
}

TEST(Sort, RowsOfEveryLength) {
  WorkerPool pool(2);
  for (bool descending : {false, true}) {
    for (int64_t n : {90, 97, 128, 1000, 2047, 2048, 5000}) {
      Check<float>(3, n, 100000, descending, &pool);
      Check<double>(2, n, 50, descending, nullptr);
      Check<int32_t>(2, n, int64_t{1} << 33, descending, &pool);
      Check<int64_t>(2, n, 700, descending, nullptr);
      Check<uint8_t>(2, n, 256, descending, nullptr);
      Check<int16_t>(2, n, 60000, descending, nullptr);
    }
  }
}

TEST(Sort, LongRowsOnThreads) {
  WorkerPool pool(3);
  for (WorkerPool* on : {static_cast<WorkerPool*>(nullptr), &pool}) {
    Check<float>(1, 70000, int64_t{1} << 30, false, on);
    Check<float>(1, 70000, 30, true, on);
    Check<int64_t>(1, 70000, int64_t{1} << 60, true, on);
    Check<uint8_t>(1, 70000, 256, false, on);
    Check<double>(1, 66000, 1, false, on);
  }
}

TEST(SortKey, KeepsOrderAndComesBack) {
  std::vector<float> x{-std::numeric_limits<float>::infinity(),
                       -3e38f,
                       -1,
                       -1e-45f,
                       -0.0f,
                       0.0f,
                       1e-45f,
                       1,
                       3e38f,
                       std::numeric_limits<float>::infinity()};
  for (size_t i = 0; i + 1 < x.size(); ++i) {
    EXPECT_LT(SortKey<float>::Of<true>(x[i]),
              SortKey<float>::Of<true>(x[i + 1]));
    EXPECT_EQ(std::bit_cast<uint32_t>(
                  SortKey<float>::From(SortKey<float>::Of<true>(x[i]))),
              std::bit_cast<uint32_t>(x[i]));
  }
  EXPECT_EQ(SortKey<float>::Of(-0.0f), SortKey<float>::Of(0.0f));
  float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(SortKey<float>::Of(nan), SortKey<float>::Of(-nan));
  EXPECT_GT(SortKey<float>::Of(-nan), SortKey<float>::Of(x.back()));
  EXPECT_TRUE(std::isnan(SortKey<float>::From(SortKey<float>::Of(nan))));
}

}  // namespace
}  // namespace sluice
