// 4 x 8 with the compiler's vector types: eight accumulators fit into the
// sixteen registers of every 64-bit machine.
#include <cstring>

#include "sluice/kernels/cpu/gemm/tile.h"

namespace sluice {

namespace {

typedef float Vec __attribute__((vector_size(16)));

Vec Load(const float* p) {
  Vec v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

void Run(int64_t k, const float* a, const float* b, float* c, int64_t ldc,
         bool accumulate) {
  Vec sum[4][2] = {};
  for (int64_t p = 0; p < k; ++p) {
    Vec b0 = Load(b), b1 = Load(b + 4);
    for (int i = 0; i < 4; ++i) {
      Vec v = {a[i], a[i], a[i], a[i]};
      sum[i][0] += v * b0;
      sum[i][1] += v * b1;
    }
    a += 4, b += 8;
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 2; ++j) {
      float* to = c + i * ldc + j * 4;
      Vec v = accumulate ? Load(to) + sum[i][j] : sum[i][j];
      std::memcpy(to, &v, sizeof v);
    }
  }
}

}  // namespace

const GemmTile kPortableTile = {4, 8, Run, nullptr};

}  // namespace sluice
