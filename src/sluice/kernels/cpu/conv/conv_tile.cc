#include "sluice/kernels/cpu/conv/conv_tile.h"

#include "sluice/kernels/cpu/isa.h"
#include "sluice/kernels/cpu/mul_add.h"

namespace sluice {

namespace {

constexpr int kRows = 4, kColumns = 8;

struct TileLoop {
  static SL_INLINE void Run(int64_t k, const double* a, const double* b,
                            double* c, int64_t ldc, bool accumulate) {
    double sum[kRows][kColumns] = {};
    for (int64_t p = 0; p < k; ++p, a += kRows, b += kColumns) {
      for (int i = 0; i < kRows; ++i) {
        for (int j = 0; j < kColumns; ++j) {
          sum[i][j] = MulAdd(a[i], b[j], sum[i][j]);
        }
      }
    }
    for (int i = 0; i < kRows; ++i, c += ldc) {
      for (int j = 0; j < kColumns; ++j) {
        c[j] = accumulate ? c[j] + sum[i][j] : sum[i][j];
      }
    }
  }
};

}  // namespace

template <>
ConvTile<double> TileOf<double>() {
  return {kRows, kColumns,
          isa::Pick<TileLoop, int64_t, const double*, const double*, double*,
                    int64_t, bool>(),
          nullptr};
}

}  // namespace sluice
