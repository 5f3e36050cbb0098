#include <algorithm>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/gemm/kit.h"

namespace sluice {

namespace {

// Scratch on the stack of a thread: packed rows of A, for the second cache;
// some panels of B, for the first; sums that are not C's elements yet.
constexpr int64_t kBlockBytes = 128 << 10;
constexpr int64_t kPanelsBytes = 64 << 10;
constexpr int64_t kSumBytes = 64 << 10;
// Panels of B packed at a time.
constexpr int64_t kPanels = 4;
// Columns of C finished before `done` hears of them.
constexpr int64_t kDoneColumns = 256;
// Some 5 us of multiplications: a task is not made smaller than that.
constexpr int64_t kMinTask = 400'000;
// What the third cache is trusted to hold of a packed B.
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

// Tiles of rows there is room for in a block: packed, and their sums for some
// panels of columns.
int64_t MaxRowTiles(const GemmKit& kit, int64_t k) {
  int64_t packed = kBlockBytes / PanelBytes(kit, kit.mr, Depth(kit, k));
  int64_t sums = kSumBytes / (kit.mr * kit.nr * kit.sum_bytes) / kPanels;
  return std::max<int64_t>(1, std::min(packed, sums));
}

// One product: B packed by all threads beforehand, or null.
struct Product {
  const GemmKit& kit;
  const GemmArgs& g;
  const char* packed;  // panel (p / depth, j / nr), row by row
  const int64_t depth = Depth(kit, g.k);
  const int64_t a_panel = PanelBytes(kit, kit.mr, depth);
  const int64_t b_panel = PanelBytes(kit, kit.nr, depth);

  int64_t column_tiles() const { return CeilDiv(g.n, kit.nr); }

  void PackB(int64_t p, int64_t j, int64_t columns, char* to) const {
    kit.pack_b(At(g.b, p, j, kit.in_bytes), g.b.stride, g.b.transposed, columns,
               std::min(depth, g.k - p), to, b_panel);
  }

  void Block(int64_t r0, int64_t r1, int64_t c0, int64_t c1) const;
};

// Rows [r0, r1) and columns [c0, c1) of C on this thread. The rows' part of A
// is packed for kc of k at a time; panels of B pass by one after the other.
void Product::Block(int64_t r0, int64_t r1, int64_t c0, int64_t c1) const {
  alignas(64) char a_block[kBlockBytes];
  alignas(64) char b_panels[kPanelsBytes];
  alignas(64) char sums[kSumBytes];
  const int64_t rows = r1 - r0;
  const int64_t group = std::clamp<int64_t>(kPanelsBytes / b_panel, 1, kPanels);
  // Sums go to C, or to the stack, a stretch of columns at a time.
  int64_t stretch = c1 - c0;
  if (kit.store) {
    stretch = std::min(kDoneColumns, kSumBytes / (rows * kit.sum_bytes));
    stretch = stretch / kit.nr * kit.nr;
  }
  for (int64_t s0 = c0; s0 < c1; s0 += stretch) {
    const int64_t s1 = std::min(c1, s0 + stretch);
    char* c = kit.store
                  ? sums
                  : static_cast<char*>(g.c) + (r0 * g.ldc + s0) * kit.sum_bytes;
    const int64_t ldc = kit.store ? stretch : g.ldc;
    int64_t done_from = s0;
    for (int64_t p = 0; p < g.k; p += depth) {
      const int64_t k = std::min(depth, g.k - p);
      const bool last = p + k == g.k;
      kit.pack_a(At(g.a, r0, p, kit.in_bytes), g.a.stride, !g.a.transposed,
                 rows, k, a_block, a_panel);
      for (int64_t j = s0; j < s1; j += kit.nr) {
        const int64_t index = (j - s0) / kit.nr % group;
        if (!packed && index == 0) {
          PackB(p, j, std::min(group * kit.nr, s1 - j), b_panels);
        }
        const char* b =
            packed
                ? packed + (p / depth * column_tiles() + j / kit.nr) * b_panel
                : b_panels + index * b_panel;
        const int columns = static_cast<int>(std::min<int64_t>(kit.nr, s1 - j));
        for (int64_t i = 0; i < rows; i += kit.mr) {
          kit.run(k, a_block + i / kit.mr * a_panel, b,
                  c + (i * ldc + j - s0) * kit.sum_bytes, ldc,
                  static_cast<int>(std::min<int64_t>(kit.mr, rows - i)),
                  columns, p > 0);
        }
        const int64_t end = j + columns;
        if (!last || (end < s1 && end - done_from < kDoneColumns)) continue;
        if (kit.store) {
          for (int64_t i = 0; i < rows; ++i) {
            kit.store(sums + (i * ldc + done_from - s0) * kit.sum_bytes,
                      end - done_from,
                      static_cast<char*>(g.c) +
                          ((r0 + i) * g.ldc + done_from) * kit.out_bytes);
          }
        }
        g.done(r0, rows, done_from, end - done_from);
        done_from = end;
      }
    }
  }
}

// How C is cut into tasks, in tiles. An element's sum does not depend on it.
struct Grid {
  int64_t rows, columns;  // of a task
  int64_t row_parts, column_parts;
};

// The cut that ends soonest when `threads` share the tasks, by a rough count of
// cycles for each k: a sixteenth per product, a third per element packed.
Grid Cut(const GemmKit& kit, const GemmArgs& g, bool packed, int64_t threads) {
  const int64_t row_tiles = CeilDiv(g.m, kit.mr);
  const int64_t column_tiles = CeilDiv(g.n, kit.nr);
  // In doubles, because the product of three sizes may not fit an integer.
  const double work = static_cast<double>(g.m) * static_cast<double>(g.n) *
                      static_cast<double>(g.k);
  const int64_t most = std::clamp<int64_t>(
      static_cast<int64_t>(std::min(work / kMinTask, 1e6)), 1, 4 * threads);
  const int64_t min_parts = CeilDiv(row_tiles, MaxRowTiles(kit, g.k));
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
      // A part of a task extra: long tasks end unevenly.
      double time = (rounds + 0.1) * task;
      if (best_time == 0 || time < best_time) best = grid, best_time = time;
      if (grid.columns == 1) break;
    }
    if (grid.rows == 1) break;
  }
  return best;
}

// Columns of B packed for all tasks at a time; 0 when every task packs what it
// needs, which is cheaper when few tasks need the same.
int64_t SharedColumns(const GemmKit& kit, int64_t m, int64_t n, int64_t k) {
  if (CeilDiv(m, kit.mr) < 3 * MaxRowTiles(kit, k)) return 0;
  int64_t column = RoundUp(k, Depth(kit, k)) * kit.packed_bytes;
  int64_t columns = kSharedBytes / column / kit.nr * kit.nr;
  if (columns < 8 * kit.nr) return 0;
  return std::min(columns, RoundUp(n, kit.nr));
}

void Run(const Product& product, WorkerPool* pool) {
  const GemmKit& kit = product.kit;
  const GemmArgs& g = product.g;
  const Grid grid = Cut(kit, g, product.packed, pool ? pool->parallelism() : 1);
  ParallelFor(pool, grid.row_parts * grid.column_parts, 1,
              [&](int64_t begin, int64_t end) {
                for (int64_t t = begin; t < end; ++t) {
                  int64_t r = t / grid.column_parts * grid.rows * kit.mr;
                  int64_t c = t % grid.column_parts * grid.columns * kit.nr;
                  product.Block(r, std::min(g.m, r + grid.rows * kit.mr), c,
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
