#include <algorithm>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/gemm/kit.h"

namespace sluice {

namespace {

// Scratch on the stack of a thread: packed rows of A, for the second cache;
// some panels of B, for the first; sums that are not C's elements yet.
constexpr int64_t kBlockBytes = 256 << 10;
constexpr int64_t kPanelsBytes = 96 << 10;
constexpr int64_t kSumBytes = 64 << 10;
// Panels of B packed at a time.
constexpr int64_t kPanels = 4;
// Tiles of rows that make it worth while to have packed a panel of B.
constexpr int64_t kEnoughTiles = 8;
// Columns of C finished before `done` hears of them.
constexpr int64_t kDoneColumns = 256;
// About 5 us of multiplications: the minimum of a task.
constexpr int64_t kMinTask = 400'000;
// Blocks of rows from which on they share a packed B.
constexpr int64_t kSharedRows = 3;
// The part of a packed B that the third-level cache is assumed to hold.
constexpr int64_t kSharedBytes = 8 << 20;

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t RoundUp(int64_t a, int64_t b) { return CeilDiv(a, b) * b; }

const char* At(const GemmMatrix& m, int64_t row, int64_t column, int bytes) {
  const char* data = static_cast<const char*>(m.data);
  return data +
         (m.transposed ? column * m.stride + row : row * m.stride + column) *
             bytes;
}

// k is passed over in even stretches of at most kc.
int64_t Depth(const GemmKit& kit, int64_t k) {
  return RoundUp(CeilDiv(k, CeilDiv(k, kit.kc)), kit.ku);
}

int64_t PanelBytes(const GemmKit& kit, int lanes, int64_t depth) {
  return lanes * depth * kit.packed_bytes;
}

// Tiles of rows in a block: as many as memory allows, packed for all of k
// (`whole`) if those are enough, otherwise for one stretch of k at a time.
struct BlockRows {
  bool whole;
  int64_t tiles;
};
BlockRows RowsOf(const GemmKit& kit, int64_t m, int64_t k) {
  const int64_t depth = Depth(kit, k);
  const int64_t one = kBlockBytes / PanelBytes(kit, kit.mr, depth);
  const int64_t all = one / CeilDiv(k, depth);
  const int64_t sums = kSumBytes / (kit.mr * kit.nr * kit.sum_bytes) / kPanels;
  const bool whole = all >= std::min(kEnoughTiles, CeilDiv(m, kit.mr));
  return {whole, std::max<int64_t>(1, std::min(whole ? all : one, sums))};
}

// One product: B packed by all threads beforehand, or null.
struct Product {
  const GemmKit& kit;
  const GemmArgs& g;
  const char* packed;  // panel (p / depth, j / nr), row by row
  const int64_t depth = Depth(kit, g.k);
  const int64_t a_panel = PanelBytes(kit, kit.mr, depth);
  const int64_t b_panel = PanelBytes(kit, kit.nr, depth);
  const int64_t group = std::clamp<int64_t>(kPanelsBytes / b_panel, 1, kPanels);

  int64_t column_tiles() const { return CeilDiv(g.n, kit.nr); }

  void PackB(int64_t p, int64_t j, int64_t columns, char* to) const {
    kit.pack_b(At(g.b, p, j, kit.in_bytes), g.b.stride, g.b.transposed, columns,
               std::min(depth, g.k - p), to, b_panel);
  }

  // Rows [r0, r1) and columns [c0, c1) of C on this thread.
  void Block(bool whole, int64_t r0, int64_t r1, int64_t c0, int64_t c1) const;

  // The rows of A are packed from p0 to p1, then panels of B are processed, a
  // few at a time, for all rows before the next few. Sums over k before p0 are
  // already in C, or in `sums`, whose first column is c0.
  void Pass(int64_t r0, int64_t r1, int64_t c0, int64_t c1, int64_t p0,
            int64_t p1, char* sums, int64_t sums_stride) const;
};

void Product::Pass(int64_t r0, int64_t r1, int64_t c0, int64_t c1, int64_t p0,
                   int64_t p1, char* sums, int64_t sums_stride) const {
  alignas(64) char a_block[kBlockBytes];
  alignas(64) char b_panels[kPanelsBytes];
  const int64_t rows = r1 - r0, row_tiles = CeilDiv(rows, kit.mr);
  char* out = static_cast<char*>(g.c);
  for (int64_t p = p0; p < p1; p += depth) {
    kit.pack_a(At(g.a, r0, p, kit.in_bytes), g.a.stride, !g.a.transposed, rows,
               std::min(depth, g.k - p),
               a_block + (p - p0) / depth * row_tiles * a_panel, a_panel);
  }
  int64_t done_from = c0;
  for (int64_t j0 = c0; j0 < c1; j0 += group * kit.nr) {
    const int64_t j1 = std::min(c1, j0 + group * kit.nr);
    const bool rounded = kit.store && p0 == 0 && p1 == g.k;
    // If they are rounded at once, sums only need space for this group.
    char* c = rounded     ? sums
              : kit.store ? sums + (j0 - c0) * kit.sum_bytes
                          : out + (r0 * g.ldc + j0) * kit.sum_bytes;
    const int64_t ldc = kit.store ? sums_stride : g.ldc;
    for (int64_t p = p0; p < p1; p += depth) {
      const int64_t k = std::min(depth, g.k - p);
      const char* a = a_block + (p - p0) / depth * row_tiles * a_panel;
      if (!packed) PackB(p, j0, j1 - j0, b_panels);
      const char* b = b_panels;
      if (packed) {
        b = packed + (p / depth * column_tiles() + j0 / kit.nr) * b_panel;
      }
      for (int64_t j = j0; j < j1; j += kit.nr, b += b_panel) {
        const char* next = b + b_panel;
        const int64_t piece =
            packed ? CeilDiv(b_panel, row_tiles * 64) * 64 : 0;
        for (int64_t i = 0; i < row_tiles; ++i) {
          for (int64_t q = 0; q < piece; q += 64) {
            __builtin_prefetch(next + i * piece + q, 0, 2);
          }
          kit.run(
              k, a + i * a_panel, b,
              c + (i * kit.mr * ldc + j - j0) * kit.sum_bytes, ldc,
              static_cast<int>(std::min<int64_t>(kit.mr, rows - i * kit.mr)),
              static_cast<int>(std::min<int64_t>(kit.nr, j1 - j)), p > 0);
        }
      }
    }
    if (p1 < g.k) continue;
    for (int64_t i = 0; kit.store && i < rows; ++i) {
      kit.store(c + i * ldc * kit.sum_bytes, j1 - j0,
                out + ((r0 + i) * g.ldc + j0) * kit.out_bytes);
    }
    if (j1 < c1 && j1 - done_from < kDoneColumns) continue;
    g.done(r0, rows, done_from, j1 - done_from);
    done_from = j1;
  }
}

void Product::Block(bool whole, int64_t r0, int64_t r1, int64_t c0,
                    int64_t c1) const {
  const KitInUse in_use(kit);
  if (!kit.store) {
    for (int64_t p = 0; p < g.k; p += whole ? g.k : depth) {
      Pass(r0, r1, c0, c1, p, whole ? g.k : std::min(g.k, p + depth), nullptr,
           0);
    }
    return;
  }
  alignas(64) char sums[kSumBytes];
  if (whole) {
    return Pass(r0, r1, c0, c1, 0, g.k, sums, group * kit.nr);
  }
  // As many columns at a time as their sums fit.
  const int64_t room = kSumBytes / ((r1 - r0) * kit.sum_bytes);
  const int64_t stretch = room / (group * kit.nr) * (group * kit.nr);
  for (int64_t c = c0; c < c1; c += stretch) {
    const int64_t end = std::min(c1, c + stretch);
    for (int64_t p = 0; p < g.k; p += depth) {
      Pass(r0, r1, c, end, p, std::min(g.k, p + depth), sums, stretch);
    }
  }
}

// The division of C into tasks, in tiles. Sums of elements do not depend on it.
struct Grid {
  int64_t rows, columns;  // of a task
  int64_t row_parts, column_parts;
};

// The division with the shortest total time if `threads` share the tasks, by a
// rough count of cycles per k: a sixteenth per product, a third per packed
// element.
Grid Cut(const GemmKit& kit, const GemmArgs& g, bool packed, int64_t max_rows,
         int64_t threads) {
  const int64_t row_tiles = CeilDiv(g.m, kit.mr);
  const int64_t column_tiles = CeilDiv(g.n, kit.nr);
  // In doubles, because the product of three sizes may not fit an integer.
  const double work = static_cast<double>(g.m) * static_cast<double>(g.n) *
                      static_cast<double>(g.k);
  const int64_t most = std::clamp<int64_t>(
      static_cast<int64_t>(std::min(work / kMinTask, 1e6)), 1, 4 * threads);
  const int64_t min_parts = CeilDiv(row_tiles, max_rows);
  Grid best{};
  double best_time = 0;
  for (int64_t r = 1; r <= std::max(most, min_parts); ++r) {
    // Blocks are limited by the scratch for A; beyond that, `most` rules.
    if (r < min_parts && r < row_tiles) continue;
    Grid grid;
    grid.rows = CeilDiv(row_tiles, r);
    grid.row_parts = CeilDiv(row_tiles, grid.rows);
    for (int64_t c = 1; c == 1 || r * c <= most; ++c) {
      grid.columns = CeilDiv(column_tiles, c);
      grid.column_parts = CeilDiv(column_tiles, grid.columns);
      double rows = static_cast<double>(grid.rows * kit.mr);
      double columns = static_cast<double>(grid.columns * kit.nr);
      double task = rows * columns / 16 + rows / 3 + (packed ? 0 : columns / 3);
      double rounds = static_cast<double>(
          CeilDiv(grid.row_parts * grid.column_parts, threads));
      // Plus a fraction of a task: long tasks end unevenly.
      double time = (rounds + 0.1) * task;
      if (best_time == 0 || time < best_time) best = grid, best_time = time;
      if (grid.columns == 1) break;
    }
    if (grid.rows == 1) break;
  }
  return best;
}

// The columns of B packed for all tasks at a time; 0 if every task packs its
// own part, which is cheaper if few tasks need the same.
int64_t SharedColumns(const GemmKit& kit, int64_t m, int64_t n, int64_t k) {
  if (CeilDiv(m, kit.mr) < kSharedRows * RowsOf(kit, m, k).tiles) return 0;
  int64_t column = RoundUp(k, Depth(kit, k)) * kit.packed_bytes;
  int64_t columns = kSharedBytes / column / kit.nr * kit.nr;
  if (columns < 8 * kit.nr) return 0;
  return std::min(columns, RoundUp(n, kit.nr));
}

void Run(const Product& product, WorkerPool* pool) {
  const GemmKit& kit = product.kit;
  const GemmArgs& g = product.g;
  const BlockRows block = RowsOf(kit, g.m, g.k);
  const Grid grid =
      Cut(kit, g, product.packed, block.tiles, pool ? pool->parallelism() : 1);
  ParallelFor(pool, grid.row_parts * grid.column_parts, 1,
              [&](int64_t begin, int64_t end) {
                for (int64_t t = begin; t < end; ++t) {
                  int64_t r = t / grid.column_parts * grid.rows * kit.mr;
                  int64_t c = t % grid.column_parts * grid.columns * kit.nr;
                  product.Block(block.whole, r,
                                std::min(g.m, r + grid.rows * kit.mr), c,
                                std::min(g.n, c + grid.columns * kit.nr));
                }
              });
}

}  // namespace

int64_t PackedWorkspace(const GemmKit& kit, int64_t m, int64_t n, int64_t k) {
  return SharedColumns(kit, m, n, k) * RoundUp(k, Depth(kit, k)) *
         kit.packed_bytes;
}

void PackedGemm(const GemmKit& kit, const GemmArgs& g, void* workspace,
                WorkerPool* pool) {
  const int64_t shared = workspace ? SharedColumns(kit, g.m, g.n, g.k) : 0;
  if (shared == 0) {
    Run({kit, g, nullptr}, pool);
    return;
  }
  char* packed = static_cast<char*>(workspace);
  for (int64_t c = 0; c < g.n; c += shared) {
    GemmArgs part = g;
    part.n = std::min(shared, g.n - c);
    part.b.data = At(g.b, 0, c, kit.in_bytes);
    part.c = static_cast<char*>(g.c) + c * kit.out_bytes;
    struct Shifted {
      const GemmDone& done;
      int64_t column;
    } shifted{g.done, c};
    if (g.done.call) {
      part.done = {[](const void* context, int64_t row, int64_t rows,
                      int64_t column, int64_t columns) {
                     auto& to = *static_cast<const Shifted*>(context);
                     to.done(row, rows, to.column + column, columns);
                   },
                   &shifted};
    }
    const Product product{kit, part, packed};
    const int64_t tiles = product.column_tiles();
    const int64_t groups = CeilDiv(tiles, kPanels);
    ParallelFor(pool, groups * CeilDiv(g.k, product.depth), 4,
                [&](int64_t begin, int64_t end) {
                  for (int64_t t = begin; t < end; ++t) {
                    int64_t p = t / groups, j = t % groups * kPanels;
                    product.PackB(
                        p * product.depth, j * kit.nr,
                        std::min(kPanels * kit.nr, part.n - j * kit.nr),
                        packed + (p * tiles + j) * product.b_panel);
                  }
                });
    Run(product, pool);
  }
}

}  // namespace sluice
