// The innermost part of a matrix product: a tile of C is held in registers
// while each column of packed A is multiplied with a row of packed B.
//
//   a: k columns of mr elements, a[p * mr + i]
//   b: k rows of nr elements,    b[p * nr + j]
//
// Packing fills missing rows and columns with zeros. Every element is the sum
// over p in increasing order, from zero, with fused multiply-adds where
// available; C's old value is added last. So an element does not depend on its
// position in a tile. Tiles are stateless constants: any thread may run them.
#pragma once

#include <cstdint>

namespace sluice {

struct GemmTile {
  int mr, nr;  // rows and columns of C held in registers
  // C[mr x nr] = (accumulate ? C : 0) + a * b. c is row-major with row stride
  // ldc; exactly mr x nr elements are written.
  void (*run)(int64_t k, const float* a, const float* b, float* c, int64_t ldc,
              bool accumulate);
  // a * b for only `rows` and `columns`, into a whole tile of nr columns; the
  // other elements need not be written. Null: run does it.
  void (*run_part)(int64_t k, const float* a, const float* b, float* whole,
                   int rows, int columns);
};

// The maximum tile size, for buffers on the stack.
inline constexpr int kMaxTileRows = 16, kMaxTileColumns = 32;

// The tile for this machine, chosen once by Cpu().
const GemmTile& F32Tile();

// The same product if C has only `rows` <= mr rows and `columns` <= nr columns:
// nothing else of C is read or written.
void RunEdgeTile(const GemmTile& tile, int64_t k, const float* a,
                 const float* b, float* c, int64_t ldc, int rows, int columns,
                 bool accumulate);

// Runs the whole tile or the edge, as needed.
inline void RunTile(const GemmTile& tile, int64_t k, const float* a,
                    const float* b, float* c, int64_t ldc, int rows,
                    int columns, bool accumulate) {
  if (rows == tile.mr && columns == tile.nr) {
    tile.run(k, a, b, c, ldc, accumulate);
  } else {
    RunEdgeTile(tile, k, a, b, c, ldc, rows, columns, accumulate);
  }
}

// The tiles by name, for F32Tile and for tests; check Cpu() before running one.
extern const GemmTile kPortableTile;
#if defined(__aarch64__)
extern const GemmTile kNeonTile;
#elif defined(__x86_64__)
extern const GemmTile kAvx2Tile;
extern const GemmTile kAvx512Tile;
#endif

}  // namespace sluice
