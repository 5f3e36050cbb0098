#include "sluice/kernels/cpu/conv/filter_grad.h"

#include <algorithm>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/conv/column_runs.h"
#include "sluice/kernels/cpu/conv/few_filter_grad.h"
#include "sluice/kernels/cpu/conv/filter_parts.h"
#include "sluice/kernels/cpu/conv/line_filter_grad.h"
#include "sluice/kernels/cpu/conv/transpose.h"
#include "sluice/kernels/cpu/elementwise.h"

namespace sluice {

namespace {

using conv::CeilDiv;

bool NothingToAdd(const ConvGeometry& g) {
  return g.batch == 0 || g.out_pixels() == 0;
}

// A line along the last axis of one image and group: channels innermost, zeros
// outside.
template <class T>
void CopyLine(const ConvGeometry& g, const FilterParts<T>& parts, const T* x,
              int64_t line, Compute<T>* to) {
  using C = Compute<T>;
  int64_t u0 = line / parts.length[1] * parts.copy_step[0] - g.pad[0];
  int64_t u1 = line % parts.length[1] * parts.copy_step[1] - g.pad[1];
  int64_t width = parts.length[2], channels = g.in_channels;
  int64_t step = parts.copy_step[2], pad = g.pad[2];
  to += line * width * channels;
  bool inside = u0 >= 0 && u0 < g.in[0] && u1 >= 0 && u1 < g.in[1];
  // Positions i with 0 <= i * step - pad < in.
  int64_t begin = pad == 0 ? 0 : std::min((pad - 1) / step + 1, width);
  int64_t end = std::clamp((g.in[2] + pad - 1) / step + 1, begin, width);
  if (!inside) begin = end = 0;
  std::fill(to, to + begin * channels, C(0));
  if (begin < end) {
    const T* from = x + (u0 * g.in[1] + u1) * g.in[2] + begin * step - pad;
    C* at = to + begin * channels;
    if (step == 1) {
      conv::Transpose(from, g.in_pixels(), channels, end - begin, at, channels);
    } else {
      for (int64_t i = begin; i < end; ++i, from += step) {
        for (int64_t c = 0; c < channels; ++c) {
          *at++ = static_cast<C>(from[c * g.in_pixels()]);
        }
      }
    }
  }
  std::fill(to + end * channels, to + width * channels, C(0));
}

// Channels [row, row + rows) of images of `all_rows` channels as a panel
// [pixel][lanes], for pixels [begin, begin + n) counted through images.
template <class T>
void PackPixels(const T* images, int64_t all_rows, int64_t pixels, int64_t row,
                int64_t rows, int64_t begin, int64_t n, int lanes,
                Compute<T>* to) {
  using C = Compute<T>;
  if (rows < lanes) std::fill(to, to + n * lanes, C(0));
  while (n > 0) {
    int64_t image = begin / pixels, pixel = begin % pixels;
    int64_t count = std::min(n, pixels - pixel);
    conv::Transpose(images + (image * all_rows + row) * pixels + pixel, pixels,
                    rows, count, to, lanes);
    to += count * lanes;
    begin += count;
    n -= count;
  }
}

// One round of images.
template <class T>
struct Round {
  using C = Compute<T>;
  const ConvGeometry& g;
  const FilterParts<T>& parts;
  const T* x;
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

  // The offsets at which the kernel's first element meets pixels [begin, begin
  // + n).
  void FillOffsets(int64_t begin, int64_t n, int64_t* offsets) const {
    int64_t q2 = begin % g.out[2], q1 = begin / g.out[2] % g.out[1];
    int64_t rest = begin / g.out[2] / g.out[1];
    int64_t q0 = rest % g.out[0], image = rest / g.out[0];
    for (int64_t i = 0; i < n;) {
      int64_t base =
          image * parts.image_copy +
          (q0 * parts.step[0] * parts.length[1] + q1 * parts.step[1]) *
              parts.length[2] * g.in_channels;
      int64_t step = parts.step[2] * g.in_channels;
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
      if (!parts.direct) FillOffsets(first, k, offsets);
      for (int64_t i = 0; i < parts.row_panels; ++i) {
        int64_t row = i * parts.row_lanes;
        PackPixels(dy, g.groups * g.out_channels, g.out_pixels(),
                   group * g.out_channels + row,
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
        alignas(64) C panels[kPanelBytes / sizeof(C)];
        int64_t last = std::min(p + step, end);
        Gather(group, p, last, first, offsets, k, panels);
        Tiles(group, split, p, last, k, gradients, panels, add);
      }
    }
  }

  // Panels [first, last) of columns for k pixels from `pixel` on.
  void Gather(int64_t group, int64_t first, int64_t last, int64_t pixel,
              const int64_t* offsets, int64_t k, C* panels) const {
    int lanes = parts.column_lanes;
    if (parts.direct) {
      for (int64_t p = first; p < last; ++p, panels += k * lanes) {
        int64_t channel = p * lanes;
        PackPixels(x, g.groups * g.in_channels, g.out_pixels(),
                   group * g.in_channels + channel,
                   std::min<int64_t>(lanes, g.in_channels - channel), pixel, k,
                   lanes, panels);
      }
      return;
    }
    ColumnRuns runs(lanes);
    AddColumns(first * lanes, std::min(last * lanes, parts.columns), runs);
    const C* source = parts.copies + group * parts.group_copy;
    for (int j = 0; j < runs.panels(); ++j) {
      runs.Gather(j, source, offsets, k, panels + j * k * lanes);
    }
  }

  // All rows with panels [first, last) of columns over a block of k pixels.
  void Tiles(int64_t group, int64_t split, int64_t first, int64_t last,
             int64_t k, const C* gradients, const C* panels, bool add) const {
    int lanes = parts.column_lanes;
    C* sums = parts.sums + (group * parts.splits + split) * parts.sum_size;
    int64_t stride = parts.swapped ? parts.row_panels * parts.row_lanes
                                   : parts.column_panels * lanes;
    for (int64_t i = 0; i < parts.row_panels; ++i) {
      int64_t row = i * parts.row_lanes;
      const C* a = gradients + row * k;
      for (int64_t j = first; j < last; ++j) {
        int64_t column = j * lanes;
        const C* b = panels + (j - first) * k * lanes;
        if (parts.swapped) {
          parts.tile.run(k, b, a, sums + column * stride + row, stride, add);
        } else {
          parts.tile.run(k, a, b, sums + row * stride + column, stride, add);
        }
      }
    }
  }

  void Run(WorkerPool* pool) const {
    int64_t lines = parts.length[0] * parts.length[1];  // none if direct
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
void AddSplits(const ConvGeometry& g, const FilterParts<T>& parts, T* dw,
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
  if (LineFilterGradFits(g)) return LineFilterGradWorkspace<T>(g);
  return FilterParts<T>(g, nullptr).bytes;
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
  if (LineFilterGradFits(g)) return LineFilterGrad(g, x, dy, dw, ctx);
  FilterParts<T> parts(g, ctx.workspace());
  int64_t x_image = g.groups * g.in_channels * g.in_pixels();
  int64_t dy_image = g.groups * g.out_channels * g.out_pixels();
  for (int64_t first = 0; first < g.batch; first += parts.images) {
    int64_t images = std::min(parts.images, g.batch - first);
    Round<T>{g,      parts,     x + first * x_image, dy + first * dy_image,
             images, first == 0}
        .Run(ctx.step().pool);
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
