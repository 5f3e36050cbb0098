#include "sluice/kernels/cpu/gemm/tile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "sluice/base/cpu_features.h"

namespace sluice {
namespace {

std::vector<GemmTile> Tiles() {
  std::vector<GemmTile> tiles = {kPortableTile, F32Tile()};
#if defined(__x86_64__)
  if (Cpu().level >= CpuLevel::kAvx2) tiles.push_back(kAvx2Tile);
#endif
  return tiles;
}

// Integers whose products and sums are exact in any order.
std::vector<float> Numbers(int64_t n, int seed) {
  std::vector<float> v(static_cast<size_t>(n));
  uint32_t x = static_cast<uint32_t>(seed) * 2654435761u + 1;
  for (float& f : v) {
    x = x * 1664525u + 1013904223u;
    f = static_cast<float>(x >> 24) - 128;
  }
  return v;
}

// Every size of edge, with a guard around C that must stay as it was.
TEST(GemmTile, MatchesTripleLoopAndWritesNothingElse) {
  for (const GemmTile& t : Tiles()) {
    ASSERT_LE(t.mr, kMaxTileRows);
    ASSERT_LE(t.nr, kMaxTileColumns);
    for (int64_t k : {0, 1, 2, 3, 7, 64}) {
      std::vector<float> a = Numbers(k * t.mr, 1), b = Numbers(k * t.nr, 2);
      for (int rows = 1; rows <= t.mr; ++rows) {
        for (int columns = 1; columns <= t.nr; ++columns) {
          for (bool accumulate : {false, true}) {
            int64_t ldc = t.nr + 3;
            std::vector<float> c(static_cast<size_t>((t.mr + 2) * ldc), 0.5f);
            RunTile(t, k, a.data(), b.data(), c.data() + ldc + 1, ldc, rows,
                    columns, accumulate);
            for (int i = -1; i <= t.mr; ++i) {
              for (int j = -1; j < t.nr + 2; ++j) {
                float want = 0.5f;
                if (i >= 0 && i < rows && j >= 0 && j < columns) {
                  want = accumulate ? 0.5f : 0.0f;
                  for (int64_t p = 0; p < k; ++p) {
                    want += a[static_cast<size_t>(p * t.mr + i)] *
                            b[static_cast<size_t>(p * t.nr + j)];
                  }
                }
                ASSERT_EQ(c[static_cast<size_t>((i + 1) * ldc + 1 + j)], want)
                    << t.mr << "x" << t.nr << " k=" << k << " " << i << "," << j
                    << " of " << rows << "x" << columns;
              }
            }
          }
        }
      }
    }
  }
}

// Nonfinite elements of A or B affect the elements they belong to, and no
// others.
TEST(GemmTile, PassesOnNaNAndInfinity) {
  for (const GemmTile& t : Tiles()) {
    std::vector<float> a(static_cast<size_t>(2 * t.mr), 1);
    std::vector<float> b(static_cast<size_t>(2 * t.nr), 1);
    a[1] = std::numeric_limits<float>::quiet_NaN();
    b[static_cast<size_t>(t.nr + 2)] = std::numeric_limits<float>::infinity();
    std::vector<float> c(static_cast<size_t>(t.mr * t.nr));
    t.run(2, a.data(), b.data(), c.data(), t.nr, false);
    for (int i = 0; i < t.mr; ++i) {
      for (int j = 0; j < t.nr; ++j) {
        float v = c[static_cast<size_t>(i * t.nr + j)];
        EXPECT_EQ(std::isnan(v), i == 1);
        EXPECT_EQ(std::isinf(v), i != 1 && j == 2);
      }
    }
  }
}

}  // namespace
}  // namespace sluice
