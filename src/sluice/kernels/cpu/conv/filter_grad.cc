#include "sluice/kernels/cpu/conv/filter_grad.h"

#include <algorithm>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/conv/carve.h"
#include "sluice/kernels/cpu/conv/column_runs.h"
#include "sluice/kernels/cpu/conv/conv_tile.h"
#include "sluice/kernels/cpu/conv/few_filter_grad.h"
#include "sluice/kernels/cpu/conv/tap_layout.h"
#include "sluice/kernels/cpu/conv/transpose.h"
#include "sluice/kernels/cpu/elementwise.h"

namespace sluice {

namespace {

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

bool NothingToAdd(const ConvGeometry& g) {
  return g.batch == 0 || g.out_pixels() == 0;
}

// What a launch needs in its workspace, and how it is cut into tasks: of a
// group each, a range of kernel elements ("columns") and a share of the pixels.
//
// A tile is mr x nr; columns of the image's elements go along its longer side,
// channels of y's gradient along the other, or the other way round ("swapped")
// where fewer lanes stay empty.
template <class T>
struct Parts {
  using C = Compute<T>;

  Parts(const ConvGeometry& g, void* workspace) {
    columns = g.in_channels * g.taps();
    auto padded = [&](int64_t a, int64_t b) {
      return AlignUp(columns, a) * AlignUp(g.out_channels, b);
    };
    swapped = padded(tile.mr, tile.nr) < padded(tile.nr, tile.mr);
    column_lanes = swapped ? tile.mr : tile.nr;
    row_lanes = swapped ? tile.nr : tile.mr;
    column_panels = CeilDiv(columns, column_lanes);
    row_panels = CeilDiv(g.out_channels, row_lanes);
    for (int i = 0; i < kConvAxes; ++i) {
      length[i] =
          (g.out[i] - 1) * g.stride[i] + (g.kernel[i] - 1) * g.dilation[i] + 1;
    }
    group_copy = length[0] * length[1] * length[2] * g.in_channels;
    image_copy = g.groups * group_copy;
    images = ImagesPerRound(g.batch, image_copy * sizeof(C));
    // Packed gradients of a block of pixels fill about half the second cache.
    constexpr int64_t kGradients = 160 << 10, kLeastBlock = 32;
    most_pixels = std::clamp(kGradients / (row_panels * row_lanes), kLeastBlock,
                             kBlockDepth);
    int64_t blocks = CeilDiv(images * g.out_pixels(), most_pixels);
    // Enough tasks for every thread to have work to the end: partial sums while
    // they stay small, then ranges of columns.
    constexpr int64_t kTasks = 16, kSumBytes = 8 << 20;
    sum_size = row_panels * row_lanes * column_panels * column_lanes;
    splits =
        kSumBytes / static_cast<int64_t>(sizeof(C)) / (g.groups * sum_size);
    splits = std::clamp<int64_t>(splits, 1, CeilDiv(kTasks, g.groups));
    splits = std::min(splits, blocks);
    ranges =
        std::min(CeilDiv(kTasks, g.groups * splits), CeilDiv(column_panels, 8));
    panels_per_range = CeilDiv(column_panels, ranges);
    ranges = CeilDiv(column_panels, panels_per_range);
    Carve carve(workspace);
    copies = carve.Take<C>(images * image_copy);
    sums = carve.Take<C>(g.groups * splits * sum_size);
    gradient_size = row_panels * row_lanes * most_pixels;
    gradients = carve.Take<C>(g.groups * splits * ranges * gradient_size);
    bytes = carve.bytes();
  }

  ConvTile<C> tile = TileOf<C>();
  bool swapped;
  int column_lanes, row_lanes;                 // of a panel
  int64_t columns, column_panels, row_panels;  // of a group
  ConvAxes length;                             // of a copied image
  int64_t group_copy, image_copy;
  int64_t images;  // per round
  int64_t most_pixels, splits, ranges, panels_per_range;
  int64_t sum_size, gradient_size;
  C* copies;     // [image][group][position][channel]
  C* sums;       // [group][split][row][column], swapped [column][row]
  C* gradients;  // [task][panel][pixel][lane]
  int64_t bytes;
};

// A line along the last axis of one image and group: channels innermost, zeros
// outside.
template <class T>
void CopyLine(const ConvGeometry& g, const Parts<T>& parts, const T* x,
              int64_t line, Compute<T>* to) {
  using C = Compute<T>;
  int64_t u0 = line / parts.length[1] - g.pad[0];
  int64_t u1 = line % parts.length[1] - g.pad[1];
  int64_t width = parts.length[2], channels = g.in_channels;
  to += line * width * channels;
  bool inside = u0 >= 0 && u0 < g.in[0] && u1 >= 0 && u1 < g.in[1];
  int64_t begin = std::clamp<int64_t>(g.pad[2], 0, width);
  int64_t end = std::clamp<int64_t>(g.in[2] + g.pad[2], begin, width);
  if (!inside) begin = end = 0;
  std::fill(to, to + begin * channels, C(0));
  if (begin < end) {
    conv::Transpose(x + (u0 * g.in[1] + u1) * g.in[2] + begin - g.pad[2],
                    g.in_pixels(), channels, end - begin, to + begin * channels,
                    channels);
  }
  std::fill(to + end * channels, to + width * channels, C(0));
}

// Rows of one panel of y's gradient as [pixel][mr], for pixels [begin, begin +
// n) counted through images.
template <class T>
void PackGradient(const ConvGeometry& g, const T* dy, int64_t row, int64_t rows,
                  int64_t begin, int64_t n, int mr, Compute<T>* to) {
  using C = Compute<T>;
  int64_t pixels = g.out_pixels(), all_rows = g.groups * g.out_channels;
  if (rows < mr) std::fill(to, to + n * mr, C(0));
  while (n > 0) {
    int64_t image = begin / pixels, pixel = begin % pixels;
    int64_t count = std::min(n, pixels - pixel);
    conv::Transpose(dy + (image * all_rows + row) * pixels + pixel, pixels,
                    rows, count, to, mr);
    to += count * mr;
    begin += count;
    n -= count;
  }
}

// One round of images.
template <class T>
struct Round {
  using C = Compute<T>;
  const ConvGeometry& g;
  const Parts<T>& parts;
  const T* dy;
  int64_t images;
  bool first_round;

  int64_t pixels = images * g.out_pixels();
  int64_t blocks = CeilDiv(pixels, parts.most_pixels);
  int64_t block = CeilDiv(pixels, blocks);

  // The columns of some panels: kernel positions, channels innermost.
  void AddColumns(int64_t begin, int64_t end, ColumnRuns& runs) const {
    int64_t channels = g.in_channels;
    while (begin < end) {
      int64_t channel = begin % channels, tap = begin / channels;
      int64_t t2 = tap % g.kernel[2], t1 = tap / g.kernel[2] % g.kernel[1];
      int64_t t0 = tap / g.kernel[2] / g.kernel[1];
      int64_t position =
          (t0 * g.dilation[0] * parts.length[1] + t1 * g.dilation[1]) *
              parts.length[2] +
          t2 * g.dilation[2];
      int64_t n = std::min(channels - channel, end - begin);
      runs.Add(position * channels + channel, n);
      begin += n;
    }
  }

  // Where the kernel's first element meets pixels [begin, begin + n).
  void FillOffsets(int64_t begin, int64_t n, int64_t* offsets) const {
    int64_t q2 = begin % g.out[2], q1 = begin / g.out[2] % g.out[1];
    int64_t rest = begin / g.out[2] / g.out[1];
    int64_t q0 = rest % g.out[0], image = rest / g.out[0];
    for (int64_t i = 0; i < n;) {
      int64_t base = image * parts.image_copy +
                     (q0 * g.stride[0] * parts.length[1] + q1 * g.stride[1]) *
                         parts.length[2] * g.in_channels;
      int64_t step = g.stride[2] * g.in_channels;
      for (; q2 < g.out[2] && i < n; ++q2) offsets[i++] = base + q2 * step;
      q2 = 0;
      if (++q1 == g.out[1]) {
        q1 = 0;
        if (++q0 == g.out[0]) q0 = 0, ++image;
      }
    }
  }

  void Task(int64_t task) const {
    int64_t range = task % parts.ranges;
    int64_t split = task / parts.ranges % parts.splits;
    int64_t group = task / parts.ranges / parts.splits;
    C* gradients = parts.gradients + task * parts.gradient_size;
    int64_t first_block = split * blocks / parts.splits;
    int64_t last_block = (split + 1) * blocks / parts.splits;
    for (int64_t b = first_block; b < last_block; ++b) {
      int64_t first = b * block, k = std::min(block, pixels - first);
      int64_t offsets[kBlockDepth];
      FillOffsets(first, k, offsets);
      for (int64_t i = 0; i < parts.row_panels; ++i) {
        int64_t row = i * parts.row_lanes;
        PackGradient(g, dy, group * g.out_channels + row,
                     std::min<int64_t>(parts.row_lanes, g.out_channels - row),
                     first, k, parts.row_lanes, gradients + row * k);
      }
      bool add = !first_round || b > first_block;
      int64_t end =
          std::min((range + 1) * parts.panels_per_range, parts.column_panels);
      int64_t step = kPanelBytes / static_cast<int64_t>(sizeof(C)) /
                     (k * parts.column_lanes);
      step = std::clamp<int64_t>(step, 1,
                                 ColumnRuns::kMaxColumns / parts.column_lanes);
      for (int64_t p = range * parts.panels_per_range; p < end; p += step) {
        Tiles(group, split, p, std::min(p + step, end), offsets, k, gradients,
              add);
      }
    }
  }

  // All rows with panels [first, last) of columns over a block of k pixels.
  void Tiles(int64_t group, int64_t split, int64_t first, int64_t last,
             const int64_t* offsets, int64_t k, const C* gradients,
             bool add) const {
    int lanes = parts.column_lanes;
    ColumnRuns runs(lanes);
    AddColumns(first * lanes, std::min(last * lanes, parts.columns), runs);
    alignas(64) C panels[kPanelBytes / sizeof(C)];
    const C* source = parts.copies + group * parts.group_copy;
    for (int j = 0; j < runs.panels(); ++j) {
      runs.Gather(j, source, offsets, k, panels + j * k * lanes);
    }
    C* sums = parts.sums + (group * parts.splits + split) * parts.sum_size;
    int64_t stride = parts.swapped ? parts.row_panels * parts.row_lanes
                                   : parts.column_panels * lanes;
    for (int64_t i = 0; i < parts.row_panels; ++i) {
      int64_t row = i * parts.row_lanes;
      const C* a = gradients + row * k;
      for (int j = 0; j < runs.panels(); ++j) {
        int64_t column = (first + j) * lanes;
        const C* b = panels + j * k * lanes;
        if (parts.swapped) {
          parts.tile.run(k, b, a, sums + column * stride + row, stride, add);
        } else {
          parts.tile.run(k, a, b, sums + row * stride + column, stride, add);
        }
      }
    }
  }

  void Run(const T* x, WorkerPool* pool) const {
    int64_t lines = parts.length[0] * parts.length[1];
    int64_t line = parts.length[2] * g.in_channels;
    ParallelFor(pool, images * g.groups * lines,
                std::max<int64_t>(1, 16384 / line), [&](int64_t b, int64_t e) {
                  for (int64_t i = b; i < e; ++i) {
                    int64_t at = i / lines;
                    CopyLine(g, parts, x + at * g.in_channels * g.in_pixels(),
                             i % lines, parts.copies + at * parts.group_copy);
                  }
                });
    ParallelFor(pool, g.groups * parts.splits * parts.ranges, 1,
                [&](int64_t b, int64_t e) {
                  for (int64_t i = b; i < e; ++i) Task(i);
                });
  }
};

// dw[row][channel][tap] from the partial sums' rows and [tap][channel].
template <class T>
void AddSplits(const ConvGeometry& g, const Parts<T>& parts, T* dw,
               const KernelContext& ctx) {
  using C = Compute<T>;
  int64_t taps = g.taps(), channels = g.in_channels;
  int64_t row_step = 1, column_step = parts.row_panels * parts.row_lanes;
  if (!parts.swapped) {
    row_step = parts.column_panels * parts.column_lanes;
    column_step = 1;
  }
  int64_t grain = std::max<int64_t>(1, 8192 / (parts.columns * parts.splits));
  ParallelFor(ctx.step().pool, g.groups * g.out_channels, grain,
              [&](int64_t b, int64_t e) {
                for (int64_t row = b; row < e; ++row) {
                  const C* from =
                      parts.sums +
                      row / g.out_channels * parts.splits * parts.sum_size +
                      row % g.out_channels * row_step;
                  T* to = dw + row * parts.columns;
                  for (int64_t c = 0; c < channels; ++c) {
                    for (int64_t t = 0; t < taps; ++t) {
                      const C* cell = from + (t * channels + c) * column_step;
                      C sum = cell[0];
                      for (int64_t s = 1; s < parts.splits; ++s) {
                        sum += cell[s * parts.sum_size];
                      }
                      to[c * taps + t] = static_cast<T>(sum);
                    }
                  }
                  ctx.Finish(row * parts.columns, parts.columns);
                }
              });
}

}  // namespace

template <class T>
int64_t FilterGradWorkspace(const ConvGeometry& g) {
  if (NothingToAdd(g) || g.out_channels == 0 || g.in_channels == 0) return 0;
  if (g.out_channels <= kFewFilterRows) return FewFilterGradWorkspace<T>(g);
  return Parts<T>(g, nullptr).bytes;
}

template <class T>
void FilterGrad(const ConvGeometry& g, const T* x, const T* dy, T* dw,
                const KernelContext& ctx) {
  int64_t size = g.groups * g.out_channels * g.in_channels * g.taps();
  if (size == 0) return;
  if (NothingToAdd(g)) {
    std::fill(dw, dw + size, T(0));
    ctx.Finish(0, size);
    return;
  }
  if (g.out_channels <= kFewFilterRows) {
    return FewFilterGrad(g, x, dy, dw, ctx);
  }
  Parts<T> parts(g, ctx.workspace());
  int64_t x_image = g.groups * g.in_channels * g.in_pixels();
  int64_t dy_image = g.groups * g.out_channels * g.out_pixels();
  for (int64_t first = 0; first < g.batch; first += parts.images) {
    int64_t images = std::min(parts.images, g.batch - first);
    Round<T>{g, parts, dy + first * dy_image, images, first == 0}.Run(
        x + first * x_image, ctx.step().pool);
  }
  AddSplits(g, parts, dw, ctx);
}

#define SL_INSTANTIATE(T)                                                  \
  template int64_t FilterGradWorkspace<T>(const ConvGeometry&);            \
  template void FilterGrad<T>(const ConvGeometry&, const T*, const T*, T*, \
                              const KernelContext&);
SL_INSTANTIATE(float)
SL_INSTANTIATE(double)
SL_INSTANTIATE(f16)
SL_INSTANTIATE(bf16)
#undef SL_INSTANTIATE

}  // namespace sluice
