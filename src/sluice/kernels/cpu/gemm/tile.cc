#include "sluice/kernels/cpu/gemm/tile.h"

#include "sluice/base/cpu_features.h"

namespace sluice {

namespace {

const GemmTile& Choose() {
#if defined(__aarch64__)
  return kNeonTile;
#elif defined(__x86_64__)
  switch (Cpu().level) {
    case CpuLevel::kAvx512:
      return kAvx512Tile;
    case CpuLevel::kAvx2:
      return kAvx2Tile;
    case CpuLevel::kBaseline:
      break;
  }
  return kPortableTile;
#else
  return kPortableTile;
#endif
}

}  // namespace

const GemmTile& F32Tile() {
  static const GemmTile& tile = Choose();
  return tile;
}

void RunEdgeTile(const GemmTile& tile, int64_t k, const float* a,
                 const float* b, float* c, int64_t ldc, int rows, int columns,
                 bool accumulate) {
  alignas(64) float whole[kMaxTileRows * kMaxTileColumns];
  if (tile.run_part) {
    tile.run_part(k, a, b, whole, rows, columns);
  } else {
    tile.run(k, a, b, whole, tile.nr, false);
  }
  for (int i = 0; i < rows; ++i) {
    const float* from = whole + i * tile.nr;
    float* to = c + i * ldc;
    if (accumulate) {
      for (int j = 0; j < columns; ++j) to[j] = to[j] + from[j];
    } else {
      for (int j = 0; j < columns; ++j) to[j] = from[j];
    }
  }
}

}  // namespace sluice
