#include "sluice/kernels/cpu/gemm.h"

#include <gtest/gtest.h>

#include <vector>

#include "sluice/base/random.h"
#include "sluice/base/worker_pool.h"

namespace sluice {
namespace {

std::vector<float> Numbers(int64_t n, uint64_t stream) {
  std::vector<float> v(static_cast<size_t>(n));
  RandomKey key = RandomKey::Of(0, stream, 0, 0);
  for (int64_t i = 0; i < n; ++i) {
    // Small whole numbers: products and sums are exact in any order.
    v[static_cast<size_t>(i)] =
        static_cast<float>(RandomBits(key, static_cast<uint64_t>(i))[0] % 7) -
        3;
  }
  return v;
}

std::vector<float> Product(const GemmSize& s, const std::vector<float>& a,
                           const std::vector<float>& b, WorkerPool* pool) {
  std::vector<float> c(static_cast<size_t>(s.m * s.n), -1);
  std::vector<float> packed(
      static_cast<size_t>(GemmPackedElements<float>(s, false)));
  Gemm<float, float>(s, {a.data(), s.k, false}, {b.data(), s.n, false},
                     c.data(), packed.data(), pool);
  return c;
}

// Sizes around every block border, all of several cache blocks.
TEST(Gemm, MatchesTripleLoopAcrossBlockBorders) {
  const GemmSize sizes[] = {{48, 16, 256}, {49, 17, 257},  {97, 65, 513},
                            {5, 1000, 30}, {3, 1100, 600}, {200, 5, 3}};
  WorkerPool pool(2);
  for (const GemmSize& s : sizes) {
    std::vector<float> a = Numbers(s.m * s.k, 1), b = Numbers(s.k * s.n, 2);
    std::vector<float> want(static_cast<size_t>(s.m * s.n), 0);
    for (int64_t i = 0; i < s.m; ++i) {
      for (int64_t k = 0; k < s.k; ++k) {
        for (int64_t j = 0; j < s.n; ++j) {
          want[static_cast<size_t>(i * s.n + j)] +=
              a[static_cast<size_t>(i * s.k + k)] *
              b[static_cast<size_t>(k * s.n + j)];
        }
      }
    }
    EXPECT_EQ(Product(s, a, b, nullptr), want) << s.m << "x" << s.n;
    EXPECT_EQ(Product(s, a, b, &pool), want) << s.m << "x" << s.n;
  }
}

// With numbers that round, the sum's order shows: it must not depend on
// threads.
TEST(Gemm, ThreadsChangeNothing) {
  GemmSize s{201, 300, 700};
  std::vector<float> a = Numbers(s.m * s.k, 3), b = Numbers(s.k * s.n, 4);
  for (float& v : a) v *= 0.1f;
  for (float& v : b) v *= 0.3f;
  WorkerPool pool(3);
  EXPECT_EQ(Product(s, a, b, nullptr), Product(s, a, b, &pool));
}

}  // namespace
}  // namespace sluice
