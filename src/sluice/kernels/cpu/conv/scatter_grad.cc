#include "sluice/kernels/cpu/conv/scatter_grad.h"

#include <algorithm>
#include <type_traits>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/conv/carve.h"
#include "sluice/kernels/cpu/conv/column_runs.h"
#include "sluice/kernels/cpu/conv/conv_tile.h"
#include "sluice/kernels/cpu/conv/tap_layout.h"
#include "sluice/kernels/cpu/elementwise.h"

namespace sluice {

namespace {

using conv::CeilDiv;

// The parts of a launch's workspace, and its division into tasks: each is a
// block of channels of a group of an image.
template <class T>
struct Parts {
  using C = Compute<T>;

  Parts(const ConvGeometry& g, void* workspace)
      : layout(MakeTapLayout(ForwardCorrelation(g), false)),
        taps(g.taps()),
        depth(g.out_channels) {
    // Halves are widened before the tiles read them.
    int64_t wide =
        std::is_same_v<T, C> ? 0 : g.groups * g.out_channels * g.out_pixels();
    images = ImagesPerRound(g.batch, (layout.image + wide) * sizeof(C));
    constexpr int64_t kTasks = 32, kLeastRows = 128;
    channel_blocks = std::clamp<int64_t>(
        g.in_channels * taps / kLeastRows, 1,
        CeilDiv(kTasks, std::max<int64_t>(images * g.groups, 1)));
    channel_blocks = std::min(channel_blocks, g.in_channels);
    block_channels = CeilDiv(g.in_channels, channel_blocks);
    channel_blocks = CeilDiv(g.in_channels, block_channels);
    row_panels = CeilDiv(block_channels * taps, tile.mr);
    block_weights = row_panels * tile.mr * depth;
    Carve carve(workspace);
    weights = carve.Take<C>(g.groups * channel_blocks * block_weights);
    row_offsets = carve.Take<int64_t>(block_channels * taps);
    row_weights = carve.Take<int64_t>(block_channels * taps);
    depth_offsets = carve.Take<int64_t>(depth);
    sums = carve.Take<C>(images * layout.image);
    widened = carve.Take<C>(images * wide);
    bytes = carve.bytes();
  }

  ConvTile<C> tile = TileOf<C>();
  TapLayout layout;
  int64_t taps, depth;
  int64_t images;  // per round
  int64_t channel_blocks, block_channels, row_panels, block_weights;
  C* weights;
  int64_t* row_offsets;    // where a row's (channel, tap) points
  int64_t* row_weights;    // and its place among an output channel's weights
  int64_t* depth_offsets;  // of an output channel
  C* sums;
  C* widened;
  int64_t bytes;
};

// The rows of a block: channels, and within one its taps with the last axis
// slowest. Neighbours on the last axis are added to addresses one element
// apart, and the machine stalls when a load overlaps a recent store.
template <class T>
void FillRows(const ConvGeometry& g, const Parts<T>& parts) {
  int64_t row = 0;
  for (int64_t c = 0; c < parts.block_channels; ++c) {
    ConvAxes tap;
    for (tap[2] = 0; tap[2] < g.kernel[2]; ++tap[2]) {
      for (tap[0] = 0; tap[0] < g.kernel[0]; ++tap[0]) {
        for (tap[1] = 0; tap[1] < g.kernel[1]; ++tap[1], ++row) {
          parts.row_offsets[row] =
              c * parts.layout.channel + parts.layout.TapOffset(tap);
          parts.row_weights[row] =
              ((c * g.kernel[0] + tap[0]) * g.kernel[1] + tap[1]) *
                  g.kernel[2] +
              tap[2];
        }
      }
    }
  }
}

// k are the output channels: per block of channels, block of k and panel of
// rows [k][mr].
template <class T>
void PackWeights(const ConvGeometry& g, const Parts<T>& parts, const T* w,
                 WorkerPool* pool) {
  using C = Compute<T>;
  int64_t mr = parts.tile.mr, depth = parts.depth;
  int64_t row_length = g.in_channels * parts.taps;  // of w, per output channel
  ParallelFor(
      pool, g.groups * parts.channel_blocks, 1, [&](int64_t b, int64_t e) {
        for (int64_t i = b; i < e; ++i) {
          int64_t group = i / parts.channel_blocks;
          int64_t first = i % parts.channel_blocks * parts.block_channels;
          int64_t rows = std::min(parts.block_channels, g.in_channels - first) *
                         parts.taps;
          const T* from = w + group * depth * row_length + first * parts.taps;
          C* to = parts.weights + i * parts.block_weights;
          int64_t step = BlockDepth(depth);
          for (int64_t k0 = 0; k0 < depth; k0 += step) {
            int64_t k = std::min(step, depth - k0);
            for (int64_t panel = 0; panel < parts.row_panels; ++panel) {
              for (int64_t p = 0; p < k; ++p) {
                const T* row = from + (k0 + p) * row_length;
                for (int64_t r = panel * mr; r < (panel + 1) * mr; ++r) {
                  *to++ = r < rows ? static_cast<C>(row[parts.row_weights[r]])
                                   : C(0);
                }
              }
            }
          }
        }
      });
}

// One task: all output positions of an image onto a block of channels.
template <class T>
struct Scatter {
  using C = Compute<T>;
  const ConvGeometry& g;
  const Parts<T>& parts;
  const C* dy;       // the image's and group's
  const C* weights;  // the block's
  C* sums;           // the block's
  int64_t rows;

  void Run() const {
    const ConvTile<C>& tile = parts.tile;
    int64_t pixels = g.out_pixels(), depth = parts.depth;
    int64_t step = BlockDepth(depth);
    int64_t most = kPanelBytes / static_cast<int64_t>(sizeof(C)) /
                   (std::max<int64_t>(step, 1) * tile.nr);
    int64_t chunk = tile.nr * std::clamp<int64_t>(
                                  most, 1, ColumnRuns::kMaxColumns / tile.nr);
    alignas(64) C panels[kPanelBytes / sizeof(C)];
    for (int64_t begin = 0; begin < pixels; begin += chunk) {
      int64_t end = std::min(begin + chunk, pixels);
      ColumnRuns sources(tile.nr), targets(tile.nr);
      sources.Add(begin, end - begin);
      targets.AddPositions(begin, end, g.out, parts.layout.step, 0);
      for (int64_t k0 = 0; k0 < depth; k0 += step) {
        int64_t k = std::min(step, depth - k0);
        sources.GatherAll(dy, parts.depth_offsets + k0, k, panels);
        Tiles(k, weights + k0 * parts.row_panels * tile.mr, panels, targets);
      }
    }
  }

  // A few panels of rows at a time along all columns: the next columns are
  // added to the cache lines of the last ones.
  void Tiles(int64_t k, const C* a, const C* panels,
             const ColumnRuns& targets) const {
    const ConvTile<C>& tile = parts.tile;
    int64_t together = 4 * tile.mr;
    alignas(64) C product[kMaxTileRows * kMaxTileColumns];
    for (int64_t first = 0; first < rows; first += together) {
      int64_t last = std::min(first + together, rows);
      for (int j = 0; j < targets.panels(); ++j) {
        for (int64_t row = first; row < last; row += tile.mr) {
          int count = static_cast<int>(std::min<int64_t>(tile.mr, rows - row));
          const C* b = panels + j * k * tile.nr;
          if (count < tile.mr && tile.run_part) {
            tile.run_part(k, a + row * k, b, product, count, tile.nr);
          } else {
            tile.run(k, a + row * k, b, product, tile.nr, false);
          }
          targets.ScatterAdd(j, product, parts.row_offsets + row, count, sums);
        }
      }
    }
  }
};

}  // namespace

template <class T>
int64_t ScatterGradWorkspace(const ConvGeometry& g) {
  if (g.batch * g.groups * g.in_channels * g.in_pixels() == 0) return 0;
  return Parts<T>(g, nullptr).bytes;
}

template <class T>
void ScatterGrad(const ConvGeometry& g, const T* w, const T* dy, T* dx,
                 const KernelContext& ctx) {
  using C = Compute<T>;
  int64_t channels = g.groups * g.in_channels, pixels = g.in_pixels();
  if (g.batch * channels * pixels == 0) return;
  WorkerPool* pool = ctx.step().pool;
  Parts<T> parts(g, ctx.workspace());
  const TapLayout& layout = parts.layout;
  FillRows(g, parts);
  PackWeights(g, parts, w, pool);
  for (int64_t k = 0; k < parts.depth; ++k) {
    parts.depth_offsets[k] = k * g.out_pixels();
  }
  int64_t dy_image = g.groups * g.out_channels * g.out_pixels();
  for (int64_t first = 0; first < g.batch; first += parts.images) {
    int64_t images = std::min(parts.images, g.batch - first);
    const T* source = dy + first * dy_image;
    const C* wide = parts.widened;
    if constexpr (std::is_same_v<T, C>) {
      wide = source;
    } else {
      ParallelFor(pool, images * dy_image, 16384, [&](int64_t b, int64_t e) {
        SL_VECTORIZE
        for (int64_t i = b; i < e; ++i) {
          parts.widened[i] = static_cast<C>(source[i]);
        }
      });
    }
    int64_t blocks = parts.channel_blocks;
    ParallelFor(pool, images * g.groups * blocks, 1, [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) {
        int64_t image = i / blocks / g.groups, group = i / blocks % g.groups;
        int64_t channel = i % blocks * parts.block_channels;
        int64_t count = std::min(parts.block_channels, g.in_channels - channel);
        channel += group * g.in_channels;
        C* sums = parts.sums + image * layout.image + channel * layout.channel;
        std::fill(sums, sums + count * layout.channel, C(0));
        Scatter<T>{
            g,
            parts,
            wide + image * dy_image + group * g.out_channels * g.out_pixels(),
            parts.weights + i % (g.groups * blocks) * parts.block_weights,
            sums,
            count * parts.taps}
            .Run();
        int64_t at = ((first + image) * channels + channel) * pixels;
        for (int64_t c = 0; c < count; ++c) {
          CopyFromTaps(layout, sums + c * layout.channel, dx + at + c * pixels);
        }
        ctx.Finish(at, count * pixels);
      }
    });
  }
}

#define SL_INSTANTIATE(T)                                                   \
  template int64_t ScatterGradWorkspace<T>(const ConvGeometry&);            \
  template void ScatterGrad<T>(const ConvGeometry&, const T*, const T*, T*, \
                               const KernelContext&);
SL_INSTANTIATE(float)
SL_INSTANTIATE(double)
SL_INSTANTIATE(f16)
SL_INSTANTIATE(bf16)
#undef SL_INSTANTIATE

}  // namespace sluice
