// The register tile of convolutions: GemmTile for float, a plain one for
// double, behind one type. A plain value; any thread.
#pragma once

#include "sluice/kernels/cpu/gemm/tile.h"

namespace sluice {

namespace conv {
inline int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
}  // namespace conv

template <class C>
struct ConvTile {
  int mr, nr;
  void (*run)(int64_t k, const C* a, const C* b, C* c, int64_t ldc,
              bool accumulate);
  // As in GemmTile; may be null.
  void (*run_part)(int64_t k, const C* a, const C* b, C* whole, int rows,
                   int columns);
};

template <class C>
ConvTile<C> TileOf();
template <>
inline ConvTile<float> TileOf<float>() {
  const GemmTile& tile = F32Tile();
  return {tile.mr, tile.nr, tile.run, tile.run_part};
}
template <>
ConvTile<double> TileOf<double>();

// The stack space for a block of packed panels: it fits the second-level cache.
inline constexpr int64_t kPanelBytes = 112 << 10;

// The depth of a block of panels: `depth` divided into equal parts of at most
// kBlockDepth.
inline constexpr int64_t kBlockDepth = 320;
inline int64_t BlockDepth(int64_t depth) {
  int64_t parts = (depth + kBlockDepth - 1) / kBlockDepth;
  return parts == 0 ? 0 : (depth + parts - 1) / parts;
}

}  // namespace sluice
