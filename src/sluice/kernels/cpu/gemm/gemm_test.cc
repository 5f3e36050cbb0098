#include "sluice/kernels/cpu/gemm/gemm.h"

#include <cmath>
#include <limits>
#include <mutex>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/gemm/gemm_test_util.h"

namespace sluice {
namespace {

using gemm_test::Case;
using gemm_test::kTypes;
using gemm_test::Shape3;

// Sizes that take every path: vectors both ways, few rows, small B, packed.
const Shape3 kShapes[] = {
    {1, 1, 1},    {1, 1, 50},   {1, 70, 33},  {70, 1, 33},   {1, 300, 17},
    {300, 1, 17}, {2, 200, 9},  {3, 65, 40},  {4, 129, 21},  {5, 7, 3},
    {7, 77, 24},  {13, 64, 5},  {16, 16, 16}, {16, 100, 8},  {17, 19, 23},
    {33, 35, 31}, {64, 64, 64}, {40, 90, 70}, {20, 10, 600}, {1, 1030, 70},
    {2, 67, 65},  {3, 16, 64},  {6, 131, 67}, {8, 40, 100}};

TEST(Gemm, MatchesTripleLoop) {
  WorkerPool pool(3);
  for (GemmType type : kTypes) {
    for (const Shape3& s : kShapes) {
      for (int t = 0; t < 4; ++t) {
        Case c(type, s, t & 1, t & 2);
        Gemm(type, c.args(), nullptr);
        c.Check("alone");
        Gemm(type, c.args(), &pool);
        c.Check("pool");
      }
    }
  }
}

// Rows of B are read as several streams: each sum is the same as alone.
TEST(Gemm, ASumDoesNotDependOnTheRowsBesideIt) {
  constexpr int64_t k = 203, rows = 1031;
  std::vector<float> a(8 * k), b(rows * k), c(8 * rows);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = std::sin(static_cast<float>(i));
  }
  for (size_t i = 0; i < b.size(); ++i) {
    b[i] = std::cos(static_cast<float>(i));
  }
  WorkerPool pool(3);
  for (int64_t m : {1, 2, 3, 5, 8}) {
    GemmArgs g{.m = m,
               .n = rows,
               .k = k,
               .a = {a.data(), k},
               .b = {b.data(), k, true},
               .c = c.data(),
               .ldc = rows};
    Gemm(GemmType::kF32, g, &pool);
    std::vector<float> whole = c;
    for (int64_t n : {16, 17, 19, 64}) {
      g.n = n;
      for (int64_t first : {0, 1, 500, 900}) {
        g.b.data = b.data() + first * k;
        Gemm(GemmType::kF32, g, nullptr);
        for (int64_t i = 0; i < m; ++i) {
          for (int64_t j = 0; j < n; ++j) {
            ASSERT_EQ(c[static_cast<size_t>(i * rows + j)],
                      whole[static_cast<size_t>(i * rows + first + j)])
                << m << " rows, " << n << " columns from " << first;
          }
        }
      }
    }
  }
}

TEST(Gemm, NoProductsMakeZeros) {
  for (GemmType type : kTypes) {
    Case c(type, {5, 9, 0}, false, false);
    Gemm(type, c.args(), nullptr);
    c.Check("k = 0");
    for (Shape3 s : {Shape3{0, 4, 3}, Shape3{4, 0, 3}}) {
      Case none(type, s, false, true);
      Gemm(type, none.args(), nullptr);
      none.Check("empty");
    }
  }
}

// Adding millions of floats to one float would stop growing.
TEST(Gemm, LongSumsKeepTheirDigits) {
  constexpr int64_t k = 3'000'000;
  WorkerPool pool(3);
  std::vector<float> a(static_cast<size_t>(3 * k), 0.1f);
  for (Shape3 s :
       {Shape3{1, 1, k}, Shape3{3, 1, k}, Shape3{1, 3, k}, Shape3{2, 2, k}}) {
    for (int t = 0; t < 4; ++t) {
      bool ta = t & 1, tb = t & 2;
      std::vector<float> c(9);
      GemmArgs g{.m = s.m,
                 .n = s.n,
                 .k = k,
                 .a = {a.data(), ta ? s.m : k, ta},
                 .b = {a.data(), tb ? k : s.n, tb},
                 .c = c.data(),
                 .ldc = s.n};
      Gemm(GemmType::kF32, g, t ? &pool : nullptr);
      const double want = static_cast<double>(0.1f) * 0.1f * k;
      for (int64_t i = 0; i < s.m * s.n; ++i) {
        EXPECT_NEAR(c[static_cast<size_t>(i)], want, want * 4e-6)
            << s.m << "x" << s.n << " " << t;
      }
    }
  }
}

// With numbers that round, the sum's order shows: it must not depend on
// threads.
TEST(Gemm, ThreadsChangeNothing) {
  auto numbers = [](int64_t n, float step) {
    std::vector<float> v(static_cast<size_t>(n));
    for (size_t i = 0; i < v.size(); ++i) {
      v[i] = std::sin(static_cast<float>(i) * step);
    }
    return v;
  };
  const Shape3 shapes[] = {{201, 300, 700}, {3, 900, 500}, {1, 2000, 300},
                           {900, 40, 60},   {1, 999, 999}, {1024, 70, 520}};
  for (const Shape3& s : shapes) {
    for (bool tb : {false, true}) {
      std::vector<float> a = numbers(s.m * s.k, 0.7f);
      std::vector<float> b = numbers(s.k * s.n, 1.3f);
      std::vector<float> results[3];
      std::vector<char> workspace(
          static_cast<size_t>(GemmWorkspace(GemmType::kF32, s.m, s.n, s.k)));
      for (int threads = 1; threads <= 3; ++threads) {
        WorkerPool pool(threads);
        auto& c = results[threads - 1];
        c.assign(static_cast<size_t>(s.m * s.n), -1);
        GemmArgs g{.m = s.m,
                   .n = s.n,
                   .k = s.k,
                   .a = {a.data(), s.k, false},
                   .b = {b.data(), tb ? s.k : s.n, tb},
                   .c = c.data(),
                   .ldc = s.n};
        Gemm(GemmType::kF32, g, &pool,
             workspace.empty() ? nullptr : workspace.data());
      }
      EXPECT_EQ(results[0], results[1]) << s.m << "x" << s.n;
      EXPECT_EQ(results[0], results[2]) << s.m << "x" << s.n;
    }
  }
}

TEST(Gemm, TellsOfEveryElementOnceWhenFinal) {
  struct Seen {
    std::mutex mu;
    std::vector<int> count;
    std::vector<char> final;  // the element at the time it was reported
    const char* c;
    int64_t ldc, n;
    int bytes;
  };
  WorkerPool pool(3);
  std::vector<Shape3> shapes(std::begin(kShapes), std::end(kShapes));
  shapes.push_back({5, 9, 0});
  shapes.push_back({9, 600, 40});
  shapes.push_back({800, 530, 12});
  for (GemmType type : {GemmType::kF32, GemmType::kBF16, GemmType::kI64}) {
    for (const Shape3& s : shapes) {
      for (int t = 0; t < 4; ++t) {
        Case c(type, s, t & 1, t & 2);
        GemmArgs g = c.args();
        Seen seen;
        seen.n = s.n, seen.ldc = g.ldc, seen.c = static_cast<char*>(g.c);
        seen.bytes = type == GemmType::kF32   ? 4
                     : type == GemmType::kI64 ? 8
                                              : 2;
        seen.count.assign(static_cast<size_t>(s.m * s.n), 0);
        seen.final = c.c();
        g.done = {[](const void* context, int64_t row, int64_t rows,
                     int64_t column, int64_t columns) {
                    auto& to = *static_cast<Seen*>(const_cast<void*>(context));
                    std::lock_guard lock(to.mu);
                    for (int64_t i = row; i < row + rows; ++i) {
                      for (int64_t j = column; j < column + columns; ++j) {
                        ++to.count[static_cast<size_t>(i * to.n + j)];
                        std::memcpy(
                            to.final.data() + ((i + 1) * to.ldc + j) * to.bytes,
                            to.c + (i * to.ldc + j) * to.bytes,
                            static_cast<size_t>(to.bytes));
                      }
                    }
                  },
                  &seen};
        std::vector<char> workspace(
            static_cast<size_t>(GemmWorkspace(type, s.m, s.n, s.k)));
        Gemm(type, g, &pool, workspace.empty() ? nullptr : workspace.data());
        c.Check("with done");
        EXPECT_EQ(seen.final, c.c()) << "told too early";
        for (int n : seen.count) ASSERT_EQ(n, 1) << s.m << "x" << s.n;
      }
    }
  }
}

// A nonfinite number affects its row or column and nothing else, whatever the
// path and its padding.
TEST(Gemm, PassesOnNaNAndInfinity) {
  for (const Shape3& s : kShapes) {
    std::vector<float> a(static_cast<size_t>(s.m * s.k), 1);
    std::vector<float> b(static_cast<size_t>(s.k * s.n), 1);
    std::vector<float> c(static_cast<size_t>(s.m * s.n));
    const int64_t row = s.m - 1, column = s.n - 1;
    a[static_cast<size_t>(row * s.k)] = std::numeric_limits<float>::quiet_NaN();
    b[static_cast<size_t>((s.k - 1) * s.n + column)] =
        std::numeric_limits<float>::infinity();
    GemmArgs g{.m = s.m,
               .n = s.n,
               .k = s.k,
               .a = {a.data(), s.k},
               .b = {b.data(), s.n},
               .c = c.data(),
               .ldc = s.n};
    Gemm(GemmType::kF32, g, nullptr);
    for (int64_t i = 0; i < s.m; ++i) {
      for (int64_t j = 0; j < s.n; ++j) {
        float v = c[static_cast<size_t>(i * s.n + j)];
        EXPECT_EQ(std::isnan(v), i == row);
        EXPECT_EQ(std::isinf(v), i != row && j == column);
      }
    }
  }
}

}  // namespace
}  // namespace sluice
