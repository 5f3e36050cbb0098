#include "sluice/kernels/cpu/conv/correlate.h"

#include <algorithm>
#include <type_traits>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/conv/carve.h"
#include "sluice/kernels/cpu/conv/column_runs.h"
#include "sluice/kernels/cpu/conv/conv_tile.h"
#include "sluice/kernels/cpu/conv/few_lines.h"
#include "sluice/kernels/cpu/conv/few_rows.h"
#include "sluice/kernels/cpu/conv/finished.h"
#include "sluice/kernels/cpu/conv/matrix_correlate.h"
#include "sluice/kernels/cpu/conv/pack_rows.h"
#include "sluice/kernels/cpu/conv/tap_layout.h"
#include "sluice/kernels/cpu/elementwise.h"

namespace sluice {

namespace {

using conv::CeilDiv;

// The parts of a launch's workspace.
template <class T>
struct Parts {
  using C = Compute<T>;

  Parts(const Correlation& c, void* workspace)
      : few_rows(c.rows <= kFewRows),
        layout(MakeTapLayout(c, std::is_same_v<T, C> && !few_rows)) {
    int64_t copy = layout.copied ? layout.image : 0;
    int64_t sum = std::is_same_v<T, C> ? 0 : c.groups * c.rows * c.out_pixels();
    images = ImagesPerRound(c.batch, (copy + sum) * sizeof(C));
    int mr = few_rows ? static_cast<int>(c.rows) : TileOf<C>().mr;
    row_panels = CeilDiv(c.rows, mr);
    group_weights = row_panels * mr * c.depth();
    Carve carve(workspace);
    weights = carve.Take<C>(c.groups * group_weights);
    offsets = carve.Take<int64_t>(c.depth());
    copies = carve.Take<C>(images * copy + (copy > 0 ? kReadBeyond : 0));
    sums = carve.Take<C>(images * sum);
    bytes = carve.bytes();
  }

  bool few_rows;
  TapLayout layout;
  int64_t images;  // per round
  int64_t row_panels, group_weights;
  C* weights;
  int64_t* offsets;
  C* copies;
  C* sums;
  int64_t bytes;
};

// Group by group, block of k by block of k, panel by panel.
template <class T, class C>
void PackWeights(const Correlation& c, const T* w, int mr, int64_t row_panels,
                 C* to, WorkerPool* pool) {
  int64_t depth = c.depth(), block = BlockDepth(depth);
  int64_t grain = std::max<int64_t>(1, 16384 / (depth * mr));
  ParallelFor(pool, c.groups * row_panels, grain, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) {
      int64_t group = i / row_panels, row = i % row_panels * mr;
      const T* from = w + group * c.w_group + row * c.w_row;
      C* base = to + group * row_panels * mr * depth;
      for (int64_t k0 = 0; k0 < depth; k0 += block) {
        int64_t n = std::min(block, depth - k0);
        PackRows(c, from, std::min<int64_t>(mr, c.rows - row), k0, n, mr,
                 base + k0 * row_panels * mr + row * n);
      }
    }
  });
}

// One round of images as a matrix product per group.
template <class T>
struct Product {
  using C = Compute<T>;
  const Correlation& c;
  const Parts<T>& parts;
  const C* source;
  const Finished<T>& finished;
  int64_t images;

  ConvTile<C> tile = TileOf<C>();
  int64_t depth = c.depth(), pixels = c.out_pixels();
  int64_t block_depth = BlockDepth(depth);
  int64_t panels = CeilDiv(images * pixels, tile.nr);
  int64_t blocks = 0, row_parts = 0;

  void Run(WorkerPool* pool) {
    int64_t most =
        kPanelBytes / static_cast<int64_t>(sizeof(C)) / (block_depth * tile.nr);
    most = std::clamp<int64_t>(most, 1, ColumnRuns::kMaxColumns / tile.nr);
    // Enough tasks to keep every thread busy to the end: blocks of columns,
    // then parts of the rows, as few as suffice, because each gathers the
    // columns again.
    constexpr int64_t kTasks = 16, kLeastRows = 64;
    blocks = CeilDiv(panels, most);
    blocks = std::max(blocks, std::min(CeilDiv(kTasks, c.groups), panels / 4));
    int64_t threads = pool ? pool->parallelism() : 1;
    int64_t most_parts = std::max<int64_t>(c.rows / kLeastRows, 1);
    auto enough = [&] {
      int64_t tasks = c.groups * blocks * row_parts;
      int64_t turns = CeilDiv(tasks, threads);
      return turns >= 4 && (turns * threads - tasks) * 32 <= tasks;
    };
    for (row_parts = 1; row_parts < most_parts && !enough();) ++row_parts;
    ParallelFor(pool, c.groups * blocks * row_parts, 1,
                [&](int64_t b, int64_t e) {
                  for (int64_t task = b; task < e; ++task) Task(task);
                });
  }

  void Task(int64_t task) {
    int64_t part = task % row_parts;
    int64_t block = task / row_parts % blocks;
    int64_t group = task / row_parts / blocks;
    int64_t first_panel = part * parts.row_panels / row_parts;
    int64_t last_panel = (part + 1) * parts.row_panels / row_parts;
    int64_t begin = block * panels / blocks * tile.nr;
    int64_t end =
        std::min((block + 1) * panels / blocks * tile.nr, images * pixels);
    ColumnRuns runs(tile.nr);
    runs.AddPositions(begin, end, c.out, parts.layout.step, parts.layout.image);
    const C* from = source + parts.layout.origin +
                    group * c.channels * parts.layout.channel;
    const C* weights = parts.weights + group * parts.group_weights;
    int64_t first_row = group * c.rows;
    alignas(64) C columns[kPanelBytes / sizeof(C)];
    for (int64_t k0 = 0; k0 < depth; k0 += block_depth) {
      int64_t k = std::min(block_depth, depth - k0);
      runs.GatherAll(from, parts.offsets + k0, k, columns);
      const C* a = weights + k0 * parts.row_panels * tile.mr;
      for (int64_t i = first_panel; i < last_panel; ++i) {
        int64_t row = i * tile.mr;
        int64_t rows = std::min<int64_t>(tile.mr, c.rows - row);
        for (int j = 0; j < runs.panels(); ++j) {
          Tile(k, a + row * k, columns + j * k * tile.nr, first_row + row, rows,
               begin + j * tile.nr, end, k0 > 0);
        }
      }
    }
    int64_t row = first_panel * tile.mr;
    int64_t rows = std::min(last_panel * tile.mr, c.rows) - row;
    for (int64_t column = begin; column < end;) {
      int64_t image = column / pixels, pixel = column % pixels;
      int64_t n = std::min(pixels - pixel, end - column);
      finished.Rows(image, first_row + row, rows, pixel, n);
      column += n;
    }
  }

  // Columns [column, column + nr) but not past `end`, which may be of several
  // images.
  void Tile(int64_t k, const C* a, const C* b, int64_t row, int64_t rows,
            int64_t column, int64_t end, bool add) {
    int64_t image = column / pixels, pixel = column % pixels;
    int64_t columns = std::min<int64_t>(tile.nr, end - column);
    C* to = finished.At(image, row, pixel);
    if (rows == tile.mr && columns == tile.nr && pixel + columns <= pixels) {
      tile.run(k, a, b, to, pixels, add);
      return;
    }
    alignas(64) C whole[kMaxTileRows * kMaxTileColumns];
    tile.run(k, a, b, whole, tile.nr, false);
    finished.Put(whole, tile.nr, image, row, rows, pixel, columns, add);
  }
};

}  // namespace

template <class T>
int64_t CorrelateWorkspace(const Correlation& c) {
  if (c.batch * c.groups * c.rows * c.out_pixels() == 0) return 0;
  if (FewLinesFits<T>(c)) return FewLinesWorkspace<T>(c);
  if constexpr (std::is_same_v<T, bf16>) {
    if (MatrixCorrelationPays(c)) return MatrixCorrelateWorkspace(c);
  }
  return Parts<T>(c, nullptr).bytes;
}

template <class T>
void Correlate(const Correlation& c, const T* w, const T* x, T* y,
               const KernelContext& ctx) {
  using C = Compute<T>;
  int64_t image_out = c.groups * c.rows * c.out_pixels();
  if (c.batch * image_out == 0) return;
  if (c.depth() == 0) {
    std::fill(y, y + c.batch * image_out, T(0));
    ctx.Finish(0, c.batch * image_out);
    return;
  }
  if (FewLinesFits<T>(c)) return FewLines(c, w, x, y, ctx);
  if constexpr (std::is_same_v<T, bf16>) {
    if (MatrixCorrelationPays(c)) return MatrixCorrelate(c, w, x, y, ctx);
  }
  WorkerPool* pool = ctx.step().pool;
  Parts<T> parts(c, ctx.workspace());
  int mr = parts.few_rows ? static_cast<int>(c.rows) : TileOf<C>().mr;
  PackWeights(c, w, mr, parts.row_panels, parts.weights, pool);
  parts.layout.FillOffsets(c.channels, parts.offsets);
  int64_t channels = c.groups * c.channels;
  for (int64_t first = 0; first < c.batch; first += parts.images) {
    int64_t images = std::min(parts.images, c.batch - first);
    const T* from = x + first * channels * c.in_pixels();
    const C* source = parts.copies;
    if (parts.layout.copied) {
      int64_t grain = std::max<int64_t>(1, 16384 / parts.layout.channel);
      ParallelFor(pool, images * channels, grain, [&](int64_t b, int64_t e) {
        for (int64_t i = b; i < e; ++i) {
          CopyToTaps(parts.layout, from + i * c.in_pixels(),
                     parts.copies + i * parts.layout.channel);
        }
      });
    } else if constexpr (std::is_same_v<T, C>) {
      source = from;
    }
    Finished<T> finished(ctx, y, parts.sums, first, c.groups * c.rows,
                         c.out_pixels());
    if (parts.few_rows) {
      FewRows<T>{c,      parts.layout, parts.weights, parts.offsets,
                 source, finished,     images}
          .Run(pool);
    } else {
      Product<T>{c, parts, source, finished, images}.Run(pool);
    }
  }
}

#define SL_INSTANTIATE(T)                                                \
  template int64_t CorrelateWorkspace<T>(const Correlation&);            \
  template void Correlate<T>(const Correlation&, const T*, const T*, T*, \
                             const KernelContext&);
SL_INSTANTIATE(float)
SL_INSTANTIATE(double)
SL_INSTANTIATE(f16)
SL_INSTANTIATE(bf16)
#undef SL_INSTANTIATE

}  // namespace sluice
