#include "sluice/kernels/cpu/conv/line_filter_grad.h"

#include <algorithm>
#include <type_traits>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/conv/carve.h"
#include "sluice/kernels/cpu/conv/conv_tile.h"
#include "sluice/kernels/cpu/conv/lanes.h"
#include "sluice/kernels/cpu/conv/tap_layout.h"
#include "sluice/kernels/cpu/elementwise.h"

namespace sluice {

namespace {

using conv::CeilDiv;

// 4 x 6: 24 sums, four vectors of y's gradient and one of the image stay in 32
// registers, and 24 additions take ten loads.
constexpr int kRows = 4, kMaxTaps = 6;

// A task is a panel of kRows output channels of a group and a share of the
// lines of a round of images.
template <class T>
struct Parts {
  using C = Compute<T>;
  static constexpr int kCount = conv::Lanes<C>::kCount;

  Parts(const ConvGeometry& g, void* workspace)
      : layout(MakeTapLayout(ForwardCorrelation(g), false)) {
    columns = g.in_channels * g.taps();
    row_panels = CeilDiv(g.out_channels, kRows);
    images = ImagesPerRound(g.batch, layout.image * sizeof(C));
    lines = g.out[0] * g.out[1];
    // A block of lines of kRows channels stays in the first cache while it
    // meets all taps.
    constexpr int64_t kBlock = 1024, kTasks = 16;
    block_lines = std::clamp<int64_t>(kBlock / g.out[2], 1, lines);
    image_blocks = CeilDiv(lines, block_lines);
    block_lines = CeilDiv(lines, image_blocks);
    image_blocks = CeilDiv(lines, block_lines);
    splits = std::clamp<int64_t>(CeilDiv(kTasks, g.groups * row_panels), 1,
                                 images * image_blocks);
    sum_size = kRows * columns * kCount;
    tasks = g.groups * row_panels * splits;
    Carve carve(workspace);
    offsets = carve.Take<int64_t>(columns);
    copies = carve.Take<C>(images * layout.image);
    sums = carve.Take<C>(tasks * sum_size);
    int64_t wide = std::is_same_v<T, C> ? 0 : kRows * block_lines * g.out[2];
    widened = carve.Take<C>(tasks * wide);
    bytes = carve.bytes();
  }

  TapLayout layout;
  int64_t columns, row_panels;
  int64_t images;  // per round
  int64_t lines, block_lines, image_blocks;
  int64_t splits, tasks, sum_size;
  int64_t* offsets;  // of a column
  C* copies;
  C* sums;     // [task][column][row][lane]
  C* widened;  // [task][row][pixel]
  int64_t bytes;
};

// Some lines of kRows channels with kTaps columns.
template <class C>
struct Lines {
  const C* dy[kRows];  // of the first line, width elements from line to line
  int64_t width, count;
  const C* x;
  int64_t x_line;
  const int64_t* offsets;
  C* sums;
};

template <class C, int kTaps>
struct LinesLoop {
  using Lanes = conv::Lanes<C>;
  static constexpr int kCount = Lanes::kCount;

  static SL_INLINE void Run(const Lines<C>* lines) {
    Lanes sum[kTaps][kRows];
    const C *dy[kRows], *x[kTaps];
    ForTaps([&](int t, int r) {
      sum[t][r].Load(lines->sums + (t * kRows + r) * kCount);
    });
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) dy[r] = lines->dy[r];
#pragma GCC unroll 6
    for (int t = 0; t < kTaps; ++t) x[t] = lines->x + lines->offsets[t];
    int64_t width = lines->width, whole = width / kCount * kCount;
    // The rest of a line is the end of a vector whose beginning was already
    // processed and must be zero here. (On both sides: zero times infinity is
    // not zero.)
    C is_rest[kCount];
    for (int i = 0; i < kCount; ++i) is_rest[i] = i >= whole + kCount - width;
    Lanes rest;
    rest.Load(is_rest);
    for (int64_t line = 0; line < lines->count; ++line) {
      int64_t at = line * width, x_at = line * lines->x_line;
      for (int64_t i = 0; i < whole; i += kCount) {
        Lanes gradient[kRows];
#pragma GCC unroll 4
        for (int r = 0; r < kRows; ++r) gradient[r].Load(dy[r] + at + i);
#pragma GCC unroll 6
        for (int t = 0; t < kTaps; ++t) {
          Lanes image;
          image.Load(x[t] + x_at + i);
#pragma GCC unroll 4
          for (int r = 0; r < kRows; ++r) {
            sum[t][r].AddProduct(gradient[r], image);
          }
        }
      }
      if (whole == width) continue;
      int64_t last = width - kCount;
      Lanes gradient[kRows];
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) {
        gradient[r].Load(dy[r] + at + last);
        gradient[r].KeepWhere(rest);
      }
#pragma GCC unroll 6
      for (int t = 0; t < kTaps; ++t) {
        Lanes image;
        image.Load(x[t] + x_at + last);
        image.KeepWhere(rest);
#pragma GCC unroll 4
        for (int r = 0; r < kRows; ++r) {
          sum[t][r].AddProduct(gradient[r], image);
        }
      }
    }
    ForTaps([&](int t, int r) {
      sum[t][r].Store(lines->sums + (t * kRows + r) * kCount);
    });
  }

  template <class F>
  static SL_INLINE void ForTaps(F&& f) {
#pragma GCC unroll 6
    for (int t = 0; t < kTaps; ++t) {
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) f(t, r);
    }
  }
};

template <class C>
using LinesFn = void (*)(const Lines<C>*);
template <class C, int kTaps>
LinesFn<C> PickLines() {
  return isa::Pick<LinesLoop<C, kTaps>, const Lines<C>*>();
}
template <class C>
LinesFn<C> LinesOf(int64_t taps) {
  static const LinesFn<C> fns[kMaxTaps] = {
      PickLines<C, 1>(), PickLines<C, 2>(), PickLines<C, 3>(),
      PickLines<C, 4>(), PickLines<C, 5>(), PickLines<C, 6>()};
  return fns[taps - 1];
}

// One round of images.
template <class T>
struct Round {
  using C = Compute<T>;
  const ConvGeometry& g;
  const Parts<T>& parts;
  const T* dy;
  int64_t images;

  void Task(int64_t task) const {
    int64_t split = task % parts.splits;
    int64_t panel = task / parts.splits % parts.row_panels;
    int64_t group = task / parts.splits / parts.row_panels;
    int64_t blocks = images * parts.image_blocks;
    int64_t last = (split + 1) * blocks / parts.splits;
    for (int64_t b = split * blocks / parts.splits; b < last; ++b) {
      int64_t image = b / parts.image_blocks;
      int64_t line = b % parts.image_blocks * parts.block_lines;
      Block(task, image, group, panel * kRows, line,
            std::min(parts.block_lines, parts.lines - line));
    }
  }

  // Lines [line, line + count) of an image, which may be of several planes.
  void Block(int64_t task, int64_t image, int64_t group, int64_t row,
             int64_t line, int64_t count) const {
    const TapLayout& layout = parts.layout;
    int64_t width = g.out[2], pixels = g.out_pixels();
    const T* first = dy + (image * g.groups + group) * g.out_channels * pixels +
                     line * width;
    Lines<C> lines;
    // Rows behind the last one repeat it; their sums are not used.
    for (int64_t r = 0; r < kRows; ++r) {
      const T* from = first + std::min(row + r, g.out_channels - 1) * pixels;
      if constexpr (std::is_same_v<T, C>) {
        lines.dy[r] = from;
      } else {
        C* wide =
            parts.widened + (task * kRows + r) * parts.block_lines * width;
        SL_VECTORIZE
        for (int64_t i = 0; i < count * width; ++i) {
          wide[i] = static_cast<C>(from[i]);
        }
        lines.dy[r] = wide;
      }
    }
    lines.width = width;
    lines.x_line = layout.step[1];
    const C* copy = parts.copies + image * layout.image +
                    group * g.in_channels * layout.channel;
    while (count > 0) {
      int64_t q0 = line / g.out[1], q1 = line % g.out[1];
      lines.count = std::min(count, g.out[1] - q1);
      lines.x = copy + q0 * layout.step[0] + q1 * layout.step[1];
      AllTaps(lines, parts.sums + task * parts.sum_size);
      for (const C*& p : lines.dy) p += lines.count * width;
      line += lines.count;
      count -= lines.count;
    }
  }

  void AllTaps(Lines<C> lines, C* sums) const {
    int64_t chunks = CeilDiv(parts.columns, kMaxTaps);
    for (int64_t column = 0; column < parts.columns; --chunks) {
      int64_t taps = CeilDiv(parts.columns - column, chunks);
      lines.offsets = parts.offsets + column;
      lines.sums = sums + column * kRows * Parts<T>::kCount;
      LinesOf<C>(taps)(&lines);
      column += taps;
    }
  }
};

template <class T>
void AddSplits(const ConvGeometry& g, const Parts<T>& parts, T* dw) {
  using C = Compute<T>;
  constexpr int kCount = Parts<T>::kCount;
  for (int64_t row = 0; row < g.groups * g.out_channels; ++row) {
    int64_t in_group = row % g.out_channels;
    int64_t task =
        (row / g.out_channels * parts.row_panels + in_group / kRows) *
        parts.splits;
    for (int64_t column = 0; column < parts.columns; ++column) {
      const C* lanes = parts.sums + task * parts.sum_size +
                       (column * kRows + in_group % kRows) * kCount;
      C total = 0;
      for (int64_t s = 0; s < parts.splits; ++s, lanes += parts.sum_size) {
        for (int i = 0; i < kCount; ++i) total += lanes[i];
      }
      *dw++ = static_cast<T>(total);
    }
  }
}

}  // namespace

bool LineFilterGradFits(const ConvGeometry& g) {
  constexpr int64_t kFewColumns = 64;
  return conv::kLanesFillVectors && g.out[2] >= kLeastLine &&
         g.out_channels >= kRows && g.taps() > 1 &&
         g.in_channels * g.taps() <= kFewColumns;
}

template <class T>
int64_t LineFilterGradWorkspace(const ConvGeometry& g) {
  return Parts<T>(g, nullptr).bytes;
}

template <class T>
void LineFilterGrad(const ConvGeometry& g, const T* x, const T* dy, T* dw,
                    const KernelContext& ctx) {
  using C = Compute<T>;
  WorkerPool* pool = ctx.step().pool;
  Parts<T> parts(g, ctx.workspace());
  const TapLayout& layout = parts.layout;
  layout.FillOffsets(g.in_channels, parts.offsets);
  std::fill_n(parts.sums, parts.tasks * parts.sum_size, C(0));
  int64_t channels = g.groups * g.in_channels;
  int64_t dy_image = g.groups * g.out_channels * g.out_pixels();
  for (int64_t first = 0; first < g.batch; first += parts.images) {
    int64_t images = std::min(parts.images, g.batch - first);
    const T* from = x + first * channels * g.in_pixels();
    int64_t grain = std::max<int64_t>(1, 16384 / layout.channel);
    ParallelFor(pool, images * channels, grain, [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) {
        CopyToTaps(layout, from + i * g.in_pixels(),
                   parts.copies + i * layout.channel);
      }
    });
    Round<T> round{g, parts, dy + first * dy_image, images};
    ParallelFor(pool, parts.tasks, 1, [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) round.Task(i);
    });
  }
  AddSplits(g, parts, dw);
  ctx.Finish(0, g.groups * g.out_channels * parts.columns);
}

#define SL_INSTANTIATE(T)                                                      \
  template int64_t LineFilterGradWorkspace<T>(const ConvGeometry&);            \
  template void LineFilterGrad<T>(const ConvGeometry&, const T*, const T*, T*, \
                                  const KernelContext&);
SL_INSTANTIATE(float)
SL_INSTANTIATE(double)
SL_INSTANTIATE(f16)
SL_INSTANTIATE(bf16)
#undef SL_INSTANTIATE

}  // namespace sluice
