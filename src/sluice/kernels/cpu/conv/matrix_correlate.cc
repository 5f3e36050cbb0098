#include "sluice/kernels/cpu/conv/matrix_correlate.h"

#include <algorithm>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/conv/carve.h"
#include "sluice/kernels/cpu/conv/column_runs.h"
#include "sluice/kernels/cpu/conv/conv_tile.h"
#include "sluice/kernels/cpu/conv/few_rows.h"
#include "sluice/kernels/cpu/conv/finished.h"
#include "sluice/kernels/cpu/conv/pack_rows.h"
#include "sluice/kernels/cpu/conv/tap_layout.h"
#include "sluice/kernels/cpu/gemm/kit.h"

namespace sluice {

namespace {

using conv::CeilDiv;

const GemmKit& Kit() { return KitFor(GemmType::kBF16); }

// Room for a panel of either side that is not packed yet.
constexpr int64_t kTurnedBytes = 32 << 10;

// The parts of a launch's workspace. k is processed in even blocks.
struct Parts {
  Parts(const Correlation& c, void* workspace)
      : layout(MakeTapLayout(c, /*may_borrow=*/true)) {
    const int64_t copy = layout.copied ? layout.image : 0;
    const int64_t sum = c.groups * c.rows * c.out_pixels();
    images = ImagesPerRound(c.batch, copy * 2 + sum * 4);
    blocks = CeilDiv(c.depth(), kit.kc);
    block = CeilDiv(CeilDiv(c.depth(), blocks), kit.ku) * kit.ku;
    blocks = CeilDiv(c.depth(), block);
    row_panels = CeilDiv(c.rows, kit.mr);
    a_panel = kit.mr * block * kit.packed_bytes;
    b_panel = kit.nr * block * kit.packed_bytes;
    Carve carve(workspace);
    weights = carve.Take<char>(c.groups * blocks * row_panels * a_panel);
    offsets = carve.Take<int64_t>(c.depth());
    copies = carve.Take<bf16>(images * copy);
    sums = carve.Take<float>(images * sum);
    bytes = carve.bytes();
  }

  char* Weights(int64_t group, int64_t k_block, int64_t panel) const {
    return weights +
           ((group * blocks + k_block) * row_panels + panel) * a_panel;
  }

  const GemmKit& kit = Kit();
  TapLayout layout;
  int64_t images;         // per round
  int64_t block, blocks;  // of k
  int64_t row_panels;
  int64_t a_panel, b_panel;  // bytes
  char* weights;
  int64_t* offsets;
  bf16* copies;
  float* sums;
  int64_t bytes;
};

void PackWeights(const Correlation& c, const Parts& parts, const bf16* w,
                 WorkerPool* pool) {
  const GemmKit& kit = parts.kit;
  const int64_t grain = std::max<int64_t>(1, 16384 / (c.depth() * kit.mr));
  ParallelFor(
      pool, c.groups * parts.row_panels, grain,
      [&](int64_t begin, int64_t end) {
        alignas(64) bf16 turned[kTurnedBytes / sizeof(bf16)];
        for (int64_t i = begin; i < end; ++i) {
          const int64_t group = i / parts.row_panels,
                        panel = i % parts.row_panels;
          const int64_t row = panel * kit.mr;
          const int64_t rows = std::min<int64_t>(kit.mr, c.rows - row);
          const bf16* from = w + group * c.w_group + row * c.w_row;
          for (int64_t b = 0; b < parts.blocks; ++b) {
            const int64_t k0 = b * parts.block;
            const int64_t n = std::min(parts.block, c.depth() - k0);
            char* to = parts.Weights(group, b, panel);
            if (c.flip) {
              PackRows(c, from, rows, k0, n, kit.mr, turned);
              kit.pack_a(turned, kit.mr, false, rows, n, to, parts.a_panel);
            } else {
              kit.pack_a(from + k0, c.w_row, true, rows, n, to, parts.a_panel);
            }
          }
        }
      });
}

// One round of images as a matrix product per group, as in correlate.cc.
struct Product {
  const Correlation& c;
  const Parts& parts;
  const bf16* source;
  const Finished<bf16>& finished;
  int64_t images;

  const GemmKit& kit = parts.kit;
  int64_t pixels = c.out_pixels();
  int64_t panels = CeilDiv(images * pixels, kit.nr);
  int64_t tasks = 0;  // of a group

  void Run(WorkerPool* pool) {
    const int64_t most = std::clamp<int64_t>(kPanelBytes / parts.b_panel, 1,
                                             ColumnRuns::kMaxColumns / kit.nr);
    const int64_t threads = pool ? pool->parallelism() : 1;
    tasks = std::max(CeilDiv(panels, most),
                     std::min(CeilDiv(4 * threads, c.groups), panels));
    ParallelFor(pool, c.groups * tasks, 1, [&](int64_t begin, int64_t end) {
      const KitInUse in_use(kit);
      for (int64_t t = begin; t < end; ++t) Task(t / tasks, t % tasks);
    });
  }

  void Task(int64_t group, int64_t task) const {
    const int64_t begin = task * panels / tasks * kit.nr;
    const int64_t end =
        std::min((task + 1) * panels / tasks * kit.nr, images * pixels);
    ColumnRuns runs(kit.nr);
    runs.AddPositions(begin, end, c.out, parts.layout.step, parts.layout.image);
    const bf16* from = source + parts.layout.origin +
                       group * c.channels * parts.layout.channel;
    const int64_t first_row = group * c.rows;
    alignas(64) bf16 columns[kPanelBytes / sizeof(bf16)];
    alignas(64) char packed[kPanelBytes];
    for (int64_t b = 0; b < parts.blocks; ++b) {
      const int64_t k0 = b * parts.block;
      const int64_t k = std::min(parts.block, c.depth() - k0);
      runs.GatherAll(from, parts.offsets + k0, k, columns);
      for (int j = 0; j < runs.panels(); ++j) {
        kit.pack_b(columns + j * k * kit.nr, kit.nr, false, kit.nr, k,
                   packed + j * parts.b_panel, parts.b_panel);
      }
      for (int64_t i = 0; i < parts.row_panels; ++i) {
        for (int j = 0; j < runs.panels(); ++j) {
          Tile(k, parts.Weights(group, b, i), packed + j * parts.b_panel,
               first_row + i * kit.mr,
               std::min<int64_t>(kit.mr, c.rows - i * kit.mr),
               begin + j * kit.nr, end, b > 0);
        }
      }
    }
    for (int64_t column = begin; column < end;) {
      const int64_t image = column / pixels, pixel = column % pixels;
      const int64_t n = std::min(pixels - pixel, end - column);
      finished.Rows(image, first_row, c.rows, pixel, n);
      column += n;
    }
  }

  // Columns [column, column + nr) but not past `end`.
  void Tile(int64_t k, const char* a, const char* b, int64_t row, int64_t rows,
            int64_t column, int64_t end, bool add) const {
    const int64_t image = column / pixels, pixel = column % pixels;
    const int64_t columns = std::min<int64_t>(kit.nr, end - column);
    if (pixel + columns <= pixels) {
      kit.run(k, a, b, finished.At(image, row, pixel), pixels,
              static_cast<int>(rows), static_cast<int>(columns), add);
      return;
    }
    alignas(64) float whole[kTurnedBytes / sizeof(float)];
    kit.run(k, a, b, whole, kit.nr, kit.mr, kit.nr, false);
    finished.Put(whole, kit.nr, image, row, rows, pixel, columns, add);
  }
};

}  // namespace

bool MatrixCorrelationPays(const Correlation& c) {
  // Dots of two elements are no faster than floats; matrices are, unless most
  // of them are zeros.
  const GemmKit& kit = Kit();
  return kit.packed_bytes == 2 && kit.ku > 2 && c.rows > kFewRows &&
         2 * c.depth() >= kit.ku;
}

int64_t MatrixCorrelateWorkspace(const Correlation& c) {
  return Parts(c, nullptr).bytes;
}

void MatrixCorrelate(const Correlation& c, const bf16* w, const bf16* x,
                     bf16* y, const KernelContext& ctx) {
  WorkerPool* pool = ctx.step().pool;
  const Parts parts(c, ctx.workspace());
  PackWeights(c, parts, w, pool);
  parts.layout.FillOffsets(c.channels, parts.offsets);
  const int64_t channels = c.groups * c.channels;
  for (int64_t first = 0; first < c.batch; first += parts.images) {
    const int64_t images = std::min(parts.images, c.batch - first);
    const bf16* source = x + first * channels * c.in_pixels();
    if (parts.layout.copied) {
      const int64_t grain = std::max<int64_t>(1, 16384 / parts.layout.channel);
      const bf16* from = source;
      ParallelFor(pool, images * channels, grain, [&](int64_t b, int64_t e) {
        for (int64_t i = b; i < e; ++i) {
          CopyToTaps(parts.layout, from + i * c.in_pixels(),
                     parts.copies + i * parts.layout.channel);
        }
      });
      source = parts.copies;
    }
    const Finished<bf16> finished(ctx, y, parts.sums, first, c.groups * c.rows,
                                  c.out_pixels());
    Product{c, parts, source, finished, images}.Run(pool);
  }
}

}  // namespace sluice
